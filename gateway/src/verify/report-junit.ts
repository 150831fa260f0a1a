import type { Finding } from "./finding.ts";
import { type Report, sentence, share } from "./report-text.ts";

/** Returns a report in the format of JUnit: one test case per operation. */
export function reportJunit({ findings, operations }: Report): string {
  const failed = new Set(findings.map(({ operation }) => operation));
  const cases = [...operations.keys()].toSorted().map((operation) => {
    const own = findings.filter((finding) => finding.operation === operation);
    return testCase(operation, own);
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="connect-rest verify" tests="${operations.size}" failures="${failed.size}">`,
    `  <testsuite name="connect-rest verify" tests="${operations.size}" failures="${failed.size}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
  ].join("\n");
}

function testCase(operation: string, findings: readonly Finding[]): string {
  const name = `    <testcase classname="operations" name="${escaped(operation)}"`;
  if (findings.length === 0) return `${name}/>`;
  const count = findings.length === 1 ? "1 difference" : `${findings.length} differences`;
  const lines = findings.map((finding) => {
    const { class: as, path, count, samples, file, declaration } = finding;
    return escaped(
      `${as} ${path}: ${sentence(finding)}, in ${share(count, samples)}; ${file}: ${declaration}`,
    );
  });
  return `${name}>\n      <failure message="${count}">${lines.join("\n")}</failure>\n    </testcase>`;
}

/** Escapes text for XML 1.0, which cannot contain control characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
