import * as fixtures from "../../fixtures/builtin.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { colours, say, sayJson } from "./io.ts";
import { columns } from "./table.ts";

/** A shipped world as the command line names it. */
export interface Template {
  readonly name: string;
  /** Its export of "twiceshy/fixtures". */
  readonly export: string;
  readonly title: string;
  readonly task: string;
  readonly tools: readonly string[];
  /** What its planted bug is. */
  readonly bug: string;
}

/** Every shipped world, in the order of the fixtures. */
export function templates(): Template[] {
  return Object.entries(fixtures).flatMap(([key, fixture]) =>
    "workflow" in fixture
      ? [
          {
            name: fixture.id,
            export: key,
            title: fixture.title,
            task: fixture.task,
            tools: Object.keys(fixture().tools),
            bug: fixture.bug,
          },
        ]
      : [],
  );
}

export const command: Command = {
  usage: "[options]",
  about: `Lists the shipped worlds, each with a safe agent and a planted bug, and the fixtures that show one fault.
"twiceshy init --template NAME" writes a test that uses one.`,
  options: { json: JSON_OPTION },
  positionals: [0, 0],
  run(args, io) {
    const all = templates();
    if (args.flag("json")) sayJson(io, all);
    else {
      const { dim } = colours(io);
      for (const line of columns(all.map(({ name, title }) => [name, title]))) say(io, line);
      say(io);
      say(io, dim('"twiceshy init --template NAME" writes a test that uses one.'));
    }
    return EXIT.passed;
  },
};
