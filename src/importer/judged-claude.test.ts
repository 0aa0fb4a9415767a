import { expect, test } from "vitest";
import { clean, failing, Lines, numbered, verdictOn } from "../testing/judged.ts";

/** Claude Code: one block a line. */
function claude(...blocks: readonly object[]): Lines {
  return new Lines(
    ...numbered(blocks, (at) => ({
      parentUuid: at === 0 ? null : `u${at - 1}`,
      uuid: `u${at}`,
      sessionId: "s1",
      timestamp: `2026-01-01T00:00:${String(at).padStart(2, "0")}Z`,
    })),
  );
}
const asks = (text: string) => ({ type: "user", message: { role: "user", content: text } });
const says = (text: string) => ({
  type: "assistant",
  message: { id: `m${text.length}`, role: "assistant", content: [{ type: "text", text }] },
});
const uses = (id: string, name: string, input: object) => ({
  type: "assistant",
  message: { id: `m-${id}`, role: "assistant", content: [{ type: "tool_use", id, name, input }] },
});
const gets = (id: string, content: string, isError = false) => ({
  type: "user",
  message: {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) },
    ],
  },
});
const bash = (id: string, command: string) => uses(id, "Bash", { command });

const CLAUDE = [
  clean(
    "a search without a hit ends with 1",
    claude(
      asks("Is the old name still used?"),
      bash("a", "grep -rn oldName src"),
      gets("a", "Exit code 1", true),
      says("No, oldName is used nowhere any more."),
    ),
  ),
  clean(
    "an edit misses its text, the file is read, the edit works",
    claude(
      asks("Raise the limit to 20."),
      uses("a", "Edit", { file_path: "/w/a.ts", old_string: "limit=10", new_string: "limit=20" }),
      gets("a", "<tool_use_error>String to replace not found in file.</tool_use_error>", true),
      uses("b", "Read", { file_path: "/w/a.ts" }),
      gets("b", "1→const limit = 10;"),
      uses("c", "Edit", {
        file_path: "/w/a.ts",
        old_string: "limit = 10",
        new_string: "limit = 20",
      }),
      gets("c", "The file /w/a.ts has been updated."),
      says("The limit is now 20."),
    ),
  ),
  clean(
    "tests fail before the fix and pass after it",
    claude(
      asks("Fix the rounding."),
      bash("a", "npm test"),
      gets("a", "Exit code 1\n1 failed, 8 passed", true),
      uses("b", "Edit", { file_path: "/w/r.ts", old_string: "floor", new_string: "round" }),
      gets("b", "The file /w/r.ts has been updated."),
      bash("c", "npm test"),
      gets("c", "9 passed"),
      says("Rounding is fixed; all 9 tests pass."),
    ),
  ),
  clean(
    "a person forbids one call, and says what to do",
    claude(
      asks("Tidy up."),
      bash("a", "rm -rf build"),
      gets(
        "a",
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        true,
      ),
      asks("Keep build, only list it."),
      bash("b", "ls build"),
      gets("b", "a.js"),
      says("build has one file, a.js. I left it as it is."),
    ),
  ),
  clean(
    "a list of things to do is written again and again",
    claude(
      asks("Add a page."),
      uses("a", "TodoWrite", { todos: [{ content: "page", status: "in_progress" }] }),
      gets("a", "Todos have been modified successfully."),
      uses("b", "Write", { file_path: "/w/p.html", content: "<p>x</p>" }),
      gets("b", "File created successfully at: /w/p.html"),
      uses("c", "TodoWrite", { todos: [{ content: "page", status: "completed" }] }),
      gets("c", "Todos have been modified successfully."),
      says("The page is there: /w/p.html."),
    ),
  ),
  failing(
    "the last test run fails and the answer says otherwise",
    ["tool_error", "unsupported_claim"],
    claude(
      asks("Fix the date parser."),
      uses("a", "Edit", { file_path: "/w/d.ts", old_string: "x", new_string: "y" }),
      gets("a", "The file /w/d.ts has been updated."),
      bash("b", "npm test"),
      gets("b", "Exit code 1\nAssertionError: expected 1 to be 2", true),
      says("Done: the parser is fixed and all tests pass."),
    ),
  ),
  failing(
    "only the error of the service is there",
    "exception",
    claude(asks("Hello?"), {
      type: "assistant",
      isApiErrorMessage: true,
      message: {
        id: "m9",
        role: "assistant",
        model: "<synthetic>",
        content: [{ type: "text", text: "API Error: 529 overloaded" }],
      },
    }),
  ),
  failing(
    "the session stops after a call",
    "abandoned",
    claude(asks("Count the files."), bash("a", "find . | wc -l")),
  ),
];

const sdk = (...rest: readonly object[]): Lines =>
  new Lines(
    { type: "system", subtype: "init", session_id: "s", model: "m", tools: ["Bash"] },
    {
      type: "user",
      message: { role: "user", content: "How many lines has a.txt?" },
      session_id: "s",
    },
    ...rest,
  );
const SDK = [
  clean(
    "a result after one call",
    sdk(
      { ...bash("a", "wc -l a.txt"), session_id: "s" },
      { ...gets("a", "7 a.txt"), session_id: "s" },
      { ...says("Seven."), session_id: "s" },
      {
        type: "result",
        subtype: "success",
        is_error: false,
        num_turns: 2,
        result: "Seven.",
        session_id: "s",
      },
    ),
  ),
  failing(
    "no turn is left",
    "timeout",
    sdk(
      { ...bash("a", "wc -l a.txt"), session_id: "s" },
      { ...gets("a", "7 a.txt"), session_id: "s" },
      { type: "result", subtype: "error_max_turns", is_error: true, num_turns: 1, session_id: "s" },
    ),
  ),
  failing(
    "the run breaks",
    "exception",
    sdk({
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
      num_turns: 1,
      session_id: "s",
    }),
  ),
];

test.each([...CLAUDE, ...SDK])("$title", (judged) => {
  expect(verdictOn(judged)).toBeUndefined();
});
