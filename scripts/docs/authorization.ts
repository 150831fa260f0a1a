/** Prints the page about authorization: the setup, and the test of each requirement. */
import { readFileSync } from "node:fs";
import { code, page, table } from "./markdown.ts";
import { readRequirements } from "./requirements.ts";

const HEAD = new URL("authorization-head.md", import.meta.url);

/** Returns the page `docs/authorization.md`. */
export function authorizationPage(): string {
  const rows = readRequirements().map(({ number, level, provider, text, test }) => [
    number,
    level,
    provider,
    text,
    test === undefined ? "" : `[${code(test.name)}](../${test.file})`,
  ]);
  return page(
    readFileSync(HEAD, "utf8"),
    "## Requirements",
    "This table lists the requirements of the context protocol's authorization profile (revision 2025-03-26) for servers and clients. Each requirement has a test.",
    table(["", "Level", "Applies to", "Requirement", "Test"], rows),
  );
}
