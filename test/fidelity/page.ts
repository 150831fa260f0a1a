import { readFileSync } from "node:fs";
import type { Row } from "./rows.ts";

/** The example on the page, which is compiled and tested. */
const EXAMPLE = readFileSync(new URL("on-difference.ts", import.meta.url), "utf8");

const HEAD = `# Fidelity

<!-- Written by test/fidelity, from rows that are tests. Do not edit: npx vitest run test/fidelity -u -->

What becomes of a response that is not as its .proto file describes it. Nothing is lost without a report, and nothing that
cannot be read looks like an empty message. One thing is not looked for, since it would cost every key of every response: a
field that comes under two of its names at once.

## Classes

A **difference** is one place in a response that is not as declared. There are three classes, which have the same names in
the log, in the metrics, in the configuration and in the runtime's options.

| class        | what it is                                                                                                                      | log     | \`strict\`             |
| ------------ | ------------------------------------------------------------------------------------------------------------------------------- | ------- | -------------------- |
| \`additional\` | Nothing declared is affected: a description is a slice of an API. Unknown keys, and unknown values of enums that are kept.      | \`debug\` | no error             |
| \`converted\`  | The value is kept, in another type.                                                                                             | \`info\`  | no error             |
| \`lost\`       | A declared value could not be held.                                                                                             | \`warn\`  | \`RESPONSE_DRIFT\`     |

- In the log a difference is a line with the message \`difference\`, with method, upstream, path, what was expected, the type
  that came, and the class; one a minute for each place, without values.
- In the metrics it is \`connect_rest_differences_total\`, by method, path and class.
- In a program it is in the \`DifferenceReport\` that \`onDifference\` gets. A report lists the first hundred of each class, and
  counts all.

Each class is ignored, logged or fails the call, for all methods, an upstream, a service or a method. The longest name
counts, then the upstream, then the settings for all; \`strict: true\` is short for \`lost: fail\` there, and an error beside
another \`lost\`. A name that no adapter has is an error too.

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

The runtime has the same options: \`differences\` of \`createRest\`, and of each upstream. Its \`onDifference\` gets one report of each
response that differs, before the call ends. What a page holds beside its items is a report of its own:

\`\`\`ts
${EXAMPLE}\`\`\`

What it throws changes nothing of the call: the first failure is a warning of the process, with the code \`LISTENER_FAILED\`.

## Responses that cannot be read

Some responses leave nothing to read: a payload or the items of a page that are of the wrong kind or missing, a page
that says that there is more and not how to get it, or a page without the key of a link or cursor that has \`always\`, or whose last item has no value for it. Such a call fails in every mode, with INTERNAL and the reason
\`RESPONSE_SHAPE\`; the text has the path, what was expected and what came.

What an upstream writes in place of nothing is said by \`empty\` of [\`Envelope\` and \`Paginate\`](annotations.md). Without a rule
\`null\`, \`[]\` and \`{}\` mean empty, since nothing in them could be lost; a missing key or body does not. A field of a message
may always be missing: ProtoJSON leaves out empty lists and zeros.

A list that is paged by a time of its last item can have more items of one time than a page holds. With
\`overlap\` in [\`Cursor\`](annotations.md) the stream has all others, and reports a \`lost\`. A list that goes on by a value of its
last item ends where that item has no such value: this is a \`lost\` at the place of the value, or with \`always\` an error, since
an item does not say that the list is over. A page without items does.

Parts without an item in a list that is one text, \`a,,b\`, are \`converted\`: they are left out. A \`Link\` header with an address
that is not between \`<\` and \`>\` is \`lost\` if no other link has the relation.

A response of success without a body is no error if the request was neither GET nor HEAD: the upstream has done what it was
asked, and an error would invite the caller to do it again. The message is empty. It is a \`lost\` that never fails the call,
unless \`empty\` allows EMPTY_BODY. A stream of one JSON array has no items if the response has \`Content-Length: 0\`.

## Requests

Two request messages that differ never make requests that the upstream reads alike: one of them fails with INVALID_ARGUMENT, and the
error names the field, the problem and the remedy. \`test/requests/\` draws messages for every kind of field in every place, and reads
the requests with readers that share no code with the writers.

| alike to the upstream                                                                   | why                                            |
| --------------------------------------------------------------------------------------- | ---------------------------------------------- |
| a singular message without anything in it, and none, in a query, a form or parts        | it has no parameter                            |
| a number or a boolean of a Struct and its text, in a query, a form or parts             | parameters are text                            |
| times that \`rounding\` makes one                                                      | the rule says so                               |
| a parameter and an entry of a map with \`style: SPREAD\` that has its name              | the entry takes its place, unless it is a constant                      |
| an unknown key that a declared field writes, and none                                   | the declared field is sent                     |
| raw JSON of unknown keys with other spaces                                              | it is sent as JSON                             |
| a fallback of a oneof without anything in it, and none, beside the keys of its message  | responses without its keys are read so         |
| a name or type of a part that is what the part has without one                          | it is the default                              |

## Every difference
`;

/** The text of docs/fidelity.md. */
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
