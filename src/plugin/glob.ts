/** Whether an absolute path with forward slashes is meant by a path or glob (`*`, `**`, `?`, `{a,b}`); a folder means all in it. */
export function isMeant(glob: string, path: string): boolean {
  if (!/[*?{]/.test(glob)) return path === glob || path.startsWith(`${glob.replace(/\/$/, "")}/`);
  return new RegExp(`^${pattern(glob)}$`, "u").test(path);
}

const PIECES = /\*\*\/|\*\*|\*|\?|\{[^{}/]*\}|[\\^$.+()[\]{}|]/gu;

function pattern(glob: string): string {
  return glob.replaceAll(PIECES, (piece) => {
    if (piece === "**/") return "(?:[^/]+/)*";
    if (piece === "**") return ".*";
    if (piece === "*") return "[^/]*";
    if (piece === "?") return "[^/]";
    if (piece.length > 1)
      return `(?:${piece
        .slice(1, -1)
        .split(",")
        .map((part) => pattern(part))
        .join("|")})`;
    return `\\${piece}`;
  });
}
