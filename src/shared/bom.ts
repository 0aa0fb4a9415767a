/** How many bytes of UTF-8's byte order mark to skip; "UTF-16" for the mark of that encoding, which nothing here reads. */
export function bomLength(bytes: Buffer): number | "UTF-16" {
  const [first, second, third] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return "UTF-16";
  return first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
}
