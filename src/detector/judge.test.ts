import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyJson, call, failed, model, traceOf } from "../testing/traces.ts";
import { answerIn, judge, type JudgeAnswer, type JudgeContext } from "./judge.ts";

const TRACE = traceOf(
  [model("I look."), call("search", { q: "x" }, []), failed("pay", {}, "declined")],
  {
    task: "Find x",
    output: "x is blue",
  },
);

function saying(answer: Partial<JudgeAnswer>): () => string {
  return () => JSON.stringify({ off_track: true, step: 1, reason: "lost", ...answer });
}

test("a judge that says off track at a step gives one failure there, and one that does not gives none", async () => {
  const seen: string[] = [];
  const ask = (prompt: string): string => {
    seen.push(prompt);
    return 'Well: {"off_track": true, "step": 2, "reason": "invented"} so.';
  };
  expect(await judge(TRACE, ask)).toEqual([
    {
      kind: "off_track",
      detector: "judge",
      severity: "medium",
      signature: "off_track:-",
      message: "invented",
      step: 2,
    },
  ]);
  expect(seen[0]).toContain("TOOL search");
  expect(await judge(TRACE, () => '{"off_track": false}')).toEqual([]);
});

test("the confidence of a verdict decides how grave it is", async () => {
  const severity = async (confidence: number, minConfidence?: number): Promise<unknown> => {
    const options = minConfidence === undefined ? {} : { minConfidence };
    return (await judge(TRACE, saying({ confidence }), options))[0]?.severity;
  };
  expect(await severity(0.59)).toBe("low");
  expect(await severity(0.6)).toBe("medium");
  expect(await severity(0.9)).toBe("high");
  expect(await severity(0.92, 0.95)).toBe("low");
  expect(await severity(0.1, 0)).toBe("medium");
  const [found] = await judge(TRACE, saying({ confidence: 0.756 }));
  expect(found?.message).toBe("lost (confidence 0.76)");
});

test("a step that the trace does not have is left out, and the verdict stays", async () => {
  const [found] = await judge(TRACE, saying({ step: 99 }));
  expect(found).toMatchObject({ kind: "off_track", message: "lost" });
  expect(found).not.toHaveProperty("step");
});

test("an answer that cannot be used is asked for once more, with what was wrong", async () => {
  const asked: string[] = [];
  const answers = ["I think it is fine.", '{"off_track": false}'];
  const ask = (prompt: string): string => {
    asked.push(prompt);
    return answers[asked.length - 1] ?? "";
  };
  expect(await judge(TRACE, ask)).toEqual([]);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toContain("An earlier answer could not be used: it held no JSON object.");
});

test("an answer that cannot be used twice, and a judge that cannot be reached, are not silent", async () => {
  let asked = 0;
  const ask = (): string => {
    asked += 1;
    return "} {";
  };
  await expect(judge(TRACE, ask)).rejects.toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_JUDGE_ANSWER]: Failed to judge the trace tr_0000000000000001: the judge's answer could not be used, twice: it held no JSON object. Take a model that keeps to a JSON schema, or look at what the function returns.]`,
  );
  expect(asked).toBe(2);
  const down = (): Promise<string> => Promise.reject(new Error("connection refused"));
  await expect(judge(TRACE, down)).rejects.toThrow("connection refused");
});

test.each([
  ["", "it was empty"],
  ["no idea", "it held no JSON object"],
  ["[1]", "it held no JSON object"],
  ['{"step": 1}', '"off_track" was neither true nor false'],
  ['{"off_track": "yes"}', '"off_track" was neither true nor false'],
  ['{"off_track": true}', '"reason" was missing'],
  ['{"off_track": true, "reason": "  "}', '"reason" was missing'],
  ['{"off_track": false, "reason": 3}', '"reason" was no text'],
  [
    '{"off_track": true, "reason": "x", "step": "2"}',
    '"step" was neither the number of a step nor null',
  ],
  [
    '{"off_track": true, "reason": "x", "step": -1}',
    '"step" was neither the number of a step nor null',
  ],
  [
    '{"off_track": true, "reason": "x", "confidence": 85}',
    '"confidence" was no number from 0 to 1',
  ],
  [undefined, "it was no object"],
  [true, "it was no object"],
])("the answer %j is no answer: %s", (given, because) => {
  expect(answerIn(given)).toEqual({ because });
});

test("a function may give the answer itself, and one whose members throw gives none", () => {
  expect(answerIn({ off_track: false, step: null })).toEqual({ answer: { off_track: false } });
  const trap = {
    get off_track(): boolean {
      throw new Error("no");
    },
  };
  expect(answerIn(trap)).toEqual({ because: "it could not be read: no" });
});

test("nothing that a judge can say makes reading it throw, and what is taken meets the schema", () => {
  const text = fc.oneof(
    anyJson().map((json) => JSON.stringify(json)),
    fc.string(),
    fc.constant('{"off_track":true'),
  );
  fc.assert(
    fc.property(fc.oneof(text, anyJson()), (given) => {
      const read = answerIn(given);
      const usable = "answer" in read && typeof read.answer.off_track === "boolean";
      expect(usable || ("because" in read && read.because !== "")).toBe(true);
    }),
  );
});

test("a function is given the trace and the schema of its answer", async () => {
  let seen: JudgeContext | undefined;
  await judge(TRACE, (_prompt, context) => {
    seen = context;
    return { off_track: false };
  });
  expect(seen?.trace).toBe(TRACE);
  expect(seen?.format).toMatchObject({
    required: ["reason", "step", "off_track", "confidence"],
    properties: { step: { maximum: 3 } },
  });
});
