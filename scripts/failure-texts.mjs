/** Failure texts of causes with a long tail: of one in five there is a like one; some words, ids and times change. */
export function failureTexts(count) {
  let seed = 7;
  const below = (limit) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  const letters = (length) =>
    Array.from({ length }, () => String.fromCodePoint(97 + below(26))).join("");
  const vocabulary = Array.from({ length: 2000 }, () => letters(3 + below(7)));
  const word = () => vocabulary[below(vocabulary.length)];
  const causes = [];
  for (let at = 0; at < 1200; at++) {
    const other = at > 10 && below(5) === 0 ? causes[below(at)] : undefined;
    const words =
      other === undefined ? Array.from({ length: 6 + below(6) }, word) : [...other.words];
    if (other !== undefined) for (let i = 0; i < 3; i++) words[below(words.length)] = word();
    causes.push({ words, tool: other?.tool ?? `tool_${vocabulary[below(40)]}` });
  }
  return Array.from({ length: count }, (_, at) => {
    const cause = causes[Math.floor(1200 ** (below(10_000) / 10_000)) - 1] ?? causes[0];
    const words = [...cause.words];
    for (let edits = below(4); edits > 1; edits--) words[below(words.length)] = word();
    const message = `Error: ${words.join(" ")} after ${below(99_999)} ms, request ${below(2 ** 31).toString(16)}${at}`;
    const { tool } = cause;
    return {
      id: `t${at}`,
      at,
      failures: [
        { kind: "tool_error", severity: "high", signature: `tool_error:${tool}`, tool, message },
      ],
    };
  });
}
