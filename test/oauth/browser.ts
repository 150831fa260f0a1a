/** The result of a browser's visit. */
export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/**
 * Opens an address as a browser does, with cookies and redirects.
 *
 * @param stopAt the prefix of addresses that are not opened. Default: all addresses are opened
 */
export async function visit(address: URL | string, stopAt?: string): Promise<Visit> {
  const cookies = new Map<string, string>();
  let url = new URL(address);
  for (let hop = 0; hop < 20; hop++) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie, accept: "text/html" } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) return { url: url.href, status: response.status, text: await response.text() };
    url = new URL(location, url);
    if (stopAt !== undefined && url.href.startsWith(stopAt)) return { url: url.href, status: 0, text: "" };
  }
  throw new Error(`too many redirects from ${address}`);
}
