import { readFileSync } from "node:fs";
import type { Row } from "./rows.ts";

/** The example on the page, which is compiled and tested. */
const EXAMPLE = readFileSync(new URL("on-difference.ts", import.meta.url), "utf8");

const HEAD = `# Fidelity

<!-- Written by test/fidelity, from rows that are tests. Do not edit: npx vitest run test/fidelity -u -->

This page describes what callers receive when a response does not match its .proto description. Every lost value is reported, and an
unreadable response never looks like an empty message. One case is not reported, because the check would slow down every response: the response contains the same field twice, under two of its names.

## Classes

A **difference** is one place in a response that does not match the description. Each difference has one of three classes. The classes
have the same names in the log, the metrics, the configuration and the runtime's options.

| class        | meaning                                                                                                                         | log     | \`strict\`             |
| ------------ | ------------------------------------------------------------------------------------------------------------------------------- | ------- | -------------------- |
| \`additional\` | No declared field is affected: an unknown key, or an unknown enum value that is kept. A description need not cover a whole API.  | \`debug\` | no error             |
| \`converted\`  | The value is kept, but converted to another type.                                                                                | \`info\`  | no error             |
| \`lost\`       | A declared field could not hold the value.                                                                                       | \`warn\`  | \`RESPONSE_DRIFT\`     |

- **Log:** a line with the message \`difference\` has the method, upstream, path, expected type, received type and class, but no values.
  The first sighting of a difference has \`"first":true\`, and is logged at \`info\` or above. Later ones are logged at the level of their class, at
  most once per minute and path. The default \`log.level: info\` hides later differences of the class \`additional\`. Paths that differ only in
  list indexes are one path. For each method, 100 paths are distinguished; further ones, such as keys that are identifiers, share one line per minute and class.
- **Traces:** with an OpenTelemetry SDK, the first sighting is an event \`connect_rest.difference\` of the call's span, with the same attributes as the line.
- **List:** \`GET /differences\` of \`server.diagnostics\` lists the differences since the start of the process, with their counts and the times of
  the first and last sighting; the most recent first sighting first. A string or number has its \`length\` in characters.
- **Metrics:** \`connect_rest_differences_total\` counts the differences of all classes by method, path and class, whatever the log level. A class that is set to
  \`ignore\` is not counted. Metrics are off by default. \`server: { metrics: {} }\` serves the metrics at \`http://127.0.0.1:9464/metrics\`.
- **Programs:** \`onDifference\` receives a \`DifferenceReport\`. A report lists the first hundred differences of each class, and counts all.

A path has names, with dots between the names, and indexes in brackets: \`posts[3].blog\`. A key that is empty, or that contains a character such as a dot, a bracket, a quote or a space,
is written as a JSON string in brackets: \`labels["1.0"]\`. A key of more than 100 characters is truncated, with an ellipsis after the string: \`labels["xxx"…]\`.

A line of the log and a line of the metrics:

\`\`\`text
{"level":"info","time":"2026-01-02T03:04:05.678Z","method":"blog.v1.BlogService/GetBlogInfo","upstream":"blog","path":"blog.posts","class":"converted","expected":"int32","got":"string","length":"2","first":true,"msg":"difference"}
connect_rest_differences_total{method="blog.v1.BlogService/GetBlogInfo",path="blog.posts",class="converted"} 1
\`\`\`

For each class, the configuration can set \`ignore\`, \`log\` (the default) or \`fail\`: globally, for an upstream, for a service or for a method.
The setting of the most specific method or service name takes precedence, then the upstream's, then the global setting. With \`fail\`, the call fails with INTERNAL and the
reason \`RESPONSE_DRIFT\`. \`strict: true\` is short for \`lost: fail\`; setting both \`strict\` and \`lost\` is an error. A name that no adapter has is also an error.

A 64-bit integer as a string is valid ProtoJSON. Such a string is never a difference, and cannot be made an error. For all other numbers, \`converted: fail\` fails the call.

\`\`\`yaml
differences:
  lost: fail
  methods:
    blog.v1.PostService/ListPosts: { lost: log, converted: ignore }
upstreams:
  blog:
    baseUrl: https://api.example.com
    differences: { additional: ignore }
\`\`\`

The runtime has the same options: \`differences\` of \`createRest\` and of each upstream. Before a call ends, \`onDifference\` receives one report for each response that differs. Differences in the items of a page, and in the other keys of the page, are in separate reports.

\`\`\`ts
${EXAMPLE}\`\`\`

An error that \`onDifference\` throws does not affect the call. The first such error is emitted as a process warning with the code
\`LISTENER_FAILED\`.

## Responses that cannot be read

These responses fail the call in every mode, with INTERNAL and the reason \`RESPONSE_SHAPE\`. The error text contains the path, the expected type and the received type.

- The payload, or the list of items of a page, is missing or has the wrong type.
- The response announces another page, but not how to request it.
- A page lacks the key of a link or cursor that has \`always\`, or the last item of a page lacks its value.

The setting \`empty\` of [\`Envelope\` and \`Paginate\`](annotations.md) lists the values that mean "empty". By default, these values are \`null\`, \`[]\` and \`{}\`, because they contain nothing that could be lost. By default, a missing key or body does not mean "empty". In messages, any field may be
missing, since ProtoJSON omits empty lists and zeros.

Special cases:

- **Lists by time.** With \`overlap\` in [\`Cursor\`](annotations.md), more items may have the same time than fit on one page. The stream then continues with later times, and reports the missing items as one \`lost\`.
- **Cursors.** A number for a request field of type string is sent with its exact value, and reported as \`converted\`. For an integer field, a number with a fraction fails the call with \`CURSOR_INVALID\`. \`false\`, \`[]\` and \`{}\` are \`converted\`; they end the list unless another path has a cursor. \`true\` fails the call with \`RESPONSE_SHAPE\`. Several rules that read one value report the value once, with the most severe class.
- **Totals.** A total that is not an integer of at most 2^53 is \`lost\`, and the list continues as if the page stated no total.
- **Lists by the last item.** If the last item has no value for the next request, the stream ends and reports a \`lost\` at the path of the value, because an item cannot mark the end of a list. With \`always\`, the call fails. A page without items marks the end of the list.
- **Comma-separated lists.** Empty parts, as in \`a,,b\`, are dropped and reported as \`converted\`.
- **\`Link\` headers.** An address that is not between \`<\` and \`>\` is \`lost\`, unless another link has the same relation.
- **Success without a body.** If the request was neither GET nor HEAD, the call succeeds with an empty message, because the upstream has already
  executed the request, and an error would invite the caller to repeat it. The missing body is reported as a \`lost\` that never fails the call,
  unless \`empty\` lists EMPTY_BODY. A stream of one JSON array has no items if the response has \`Content-Length: 0\`.

## Requests

Two different request messages never produce requests that look the same to the upstream. Instead, one of the two calls fails with INVALID_ARGUMENT, and the error names the field, the problem and the remedy. \`test/requests/\` generates messages for every kind of field in
every place, and parses the requests with independent code. These are the only exceptions:

| requests that look the same to the upstream                                                             | because                                              |
| ----------------------------------------------------------------------------------------------- | ---------------------------------------------------- |
| an empty and an unset singular message in a query, a form or parts                              | neither message has parameters |
| a number or boolean of a Struct, and a string with the same characters, in a query, a form or parts | all parameters are strings |
| times that \`rounding\` maps to the same value                                                  | the rule allows the loss of precision |
| a parameter and a map entry with \`style: SPREAD\` and the same name                            | the entry replaces the parameter, unless it is a constant |
| a message with an unknown key that a declared field also writes, and a message without this key | only the declared field is sent |
| unknown keys whose raw JSON differs only in white space | the white space is not sent |
| an empty fallback of a oneof and no fallback, if the message has other keys                     | responses without keys of the fallback look the same |
| a part with an explicit name or type that equals the default, and a part without one            | the default has the same effect |

## Every difference
`;

/** Returns the text of docs/fidelity.md. */
export function page(rows: readonly Row[]): string {
  const cells = rows.map(({ sends, outcome, gets }) => [sends, outcomeCell(outcome), gets]);
  const head = ["the upstream sends", "class", "callers get"];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return `${HEAD}\n${[line(head), rule, ...cells.map(line)].join("\n")}\n`;
}

function outcomeCell(outcome: Row["outcome"]): string {
  if (outcome === "none") return "no difference";
  return `\`${outcome}\``;
}
