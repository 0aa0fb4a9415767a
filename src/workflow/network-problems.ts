/** What is wrong with the hosts that a trial may reach. */
export function networkProblems(network: unknown): string[] {
  if (network === undefined) return [];
  if (!Array.isArray(network))
    return [`network: it is no list; give the hosts that may be reached, or [] for none`];
  return (network as readonly unknown[]).flatMap((host, i) =>
    isHost(host)
      ? []
      : [
          `network[${i}]: it names no host; give one as "api.example.com", "*.example.com" or "localhost:8080"`,
        ],
  );
}

/** Also a local socket, as `unix:/path`; no address of a page. */
function isHost(host: unknown): boolean {
  return typeof host === "string" && /^(?:unix:.+|[^\s/?#@]+)$/u.test(host);
}
