/** Prints the reference of errors from the runtime's tables. */
import { readFileSync } from "node:fs";
import { Code } from "@connectrpc/connect";
import { KNOWN_STATUSES, meaningOf } from "../../runtime/src/errors/status.ts";
import { ERRORS } from "../../runtime/src/errors/table.ts";
import { code, page, table } from "./markdown.ts";

const HEAD = new URL("errors-head.md", import.meta.url);
/** Ranges of statuses without rows of their own, each with one status to look up. */
const RANGES: ReadonlyArray<readonly [range: string, status: number]> = [
  ["other 300 to 399", 399],
  ["other 400 to 499", 499],
  ["520 to 530", 520],
  ["other 500 and above", 599],
  ["200 to 299, if a rule makes it an error", 200],
  ["all others", 199],
];

/** The page `docs/errors.md`. */
export function errorsPage(): string {
  return page(
    readFileSync(HEAD, "utf8"),
    "## HTTP status to code",
    "Applies if no rule of the method matches and the body is not a `google.rpc.Status`.",
    table(["HTTP status", "Code", "Reason"], statusRows()),
    "## Reasons of the runtime",
    "Errors that the runtime reports itself. Names in braces are placeholders.",
    ...Object.entries(ERRORS).flatMap(([reason, { code: number, text, cause, remedy }]) => [
      `### ${reason}`,
      `${code(codeName(number))}: ${code(text)}`,
      `${cause}`,
      `Remedy: ${remedy}`,
    ]),
  );
}

function statusRows(): string[][] {
  const row = (label: string, status: number) => {
    const meaning = meaningOf(status);
    return [label, code(codeName(meaning.code)), code(meaning.reason)];
  };
  return [
    ...KNOWN_STATUSES.map((status) => row(`${status} ${meaningOf(status).phrase}`, status)),
    ...RANGES.map(([label, status]) => row(label, status)),
  ];
}

/** A code as gRPC and google.rpc.Code spell it, e.g. NOT_FOUND. */
function codeName(number: Code): string {
  return Code[number].replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}
