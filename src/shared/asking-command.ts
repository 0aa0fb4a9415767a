/** Programs that answer "no" by an exit code of 1: nothing found, not equal, not there. */
const ASKING =
  /^(?:(?:[efz]|p)?grep|rg|ag|ack|diff|cmp|comm|which|type|test|\[{1,2}|git\s+(?:diff|grep)|command\s+-v|expr|false)(?:\s|$)/;
const BEFORE_COMMAND = /^(?:\w+=\S*\s+|sudo\s+|time\s+|timeout\s+\S+\s+|\(\s*|!\s*)+/;

/** Whether the last command of a line asks something that may be answered with "no". */
export function asks(command: string): boolean {
  const last =
    command
      .trim()
      .split(/&&|\|\||[;|\n]/)
      .at(-1) ?? "";
  return ASKING.test(last.trim().replace(BEFORE_COMMAND, ""));
}
