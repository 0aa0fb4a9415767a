import { JSON_OPTION, type OptionShape } from "./command.ts";

/** Options of every command that reads trace files. Loads no importer, so that a command that has nothing to do is quick. */
export const READ_OPTIONS: Readonly<Record<string, OptionShape>> = {
  format: {
    type: "text",
    value: "NAME",
    help: 'Only records of this format ("twiceshy ingest --help" names them)',
  },
  "agent-name": { type: "text", value: "NAME", help: "Agent of the traces that name none" },
  db: { type: "text", value: "FILE", help: "Store to use in place of the project's" },
  strict: { type: "flag", help: "Exit with 3 when something could not be read" },
  json: JSON_OPTION,
};
