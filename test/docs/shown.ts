import { expect } from "vitest";

/** Checks that the actual JSON matches the JSON on the page. `…` marks omitted parts. */
export function expectShown(shown: string, actual: string): void {
  const cut = shown.includes("…");
  const whole: unknown = JSON.parse(shown.replaceAll(/,?\s*…/g, ""));
  if (cut) {
    expect(JSON.parse(actual)).toMatchObject(whole as object);
  } else {
    expect(JSON.parse(actual)).toEqual(whole);
  }
}

/** Makes the call that a page shows as a curl command, and resolves with the body of the response. */
export async function curl(command: string): Promise<string> {
  const parsed = /^curl -d '([^']*)' -H '([\w-]+): ([^']*)' (http:\S+)\n$/.exec(command);
  if (parsed === null) throw new Error(`expected curl -d '…' -H '…' URL, got ${command}`);
  const [, body = "", name = "", value = "", url = ""] = parsed;
  const answer = await fetch(url, { method: "POST", headers: { [name]: value, connection: "close" }, body });
  return await answer.text();
}
