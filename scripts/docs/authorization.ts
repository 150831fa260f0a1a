/** Prints the page about authorization: how it is set up, and what shows each requirement. */
import { readFileSync } from "node:fs";
import { code, page, table } from "./markdown.ts";
import { readRequirements } from "./requirements.ts";

const HEAD = new URL("authorization-head.md", import.meta.url);

/** The page `docs/authorization.md`. */
export function authorizationPage(): string {
  const rows = readRequirements().map(({ number, level, party, text, test }) => [
    number,
    level,
    party,
    text,
    test === undefined ? "" : `[${code(test.name)}](../${test.file})`,
  ]);
  return page(
    readFileSync(HEAD, "utf8"),
    "## Requirements",
    "What the authorization profile of the context protocol (revision 2025-03-26) asks of servers and clients, and the test that shows it. A test holds that no requirement is without one.",
    table(["", "Level", "Of the", "Requirement", "Test"], rows),
  );
}
