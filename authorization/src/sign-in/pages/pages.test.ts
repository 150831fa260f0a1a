import fc from "fast-check";
import { expect, test } from "vitest";
import { html } from "../../text/html.ts";
import { consentPage, isOwnMachine, targetsOf } from "./consent-page.ts";
import { shownName } from "./shown-name.ts";

const CLIENT = { id: "c", name: "Editor", isRegistered: true, redirectHost: "app.example" };
const QUESTION = { client: CLIENT, accounts: [], permissions: ["read"], action: "/a", proof: "p" };

/** Any string of code units, with dangerous characters more often. */
const anyText = fc.array(
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom(
      "<",
      ">",
      '"',
      "'",
      "&",
      "\u202e",
      "\u2066",
      "\u200b",
      "\u{e0041}",
      "\ud800",
      "\u0301".repeat(50),
      "\n",
    ),
  ),
  { maxLength: 30 },
);
const text = anyText.map((parts) => parts.join(""));

test("property: a string in markup is shown unchanged, in content and in attributes", () => {
  fc.assert(
    fc.property(text, (value) => {
      const { text: markup } = html`<p title="${value}">${value}</p>`;
      expect(markup.match(/[<>]/g)).toEqual(["<", ">", "<", ">"]);
      expect(markup.match(/"/g)).toEqual(['"', '"']);
      expect(markup).not.toContain("'");
    }),
  );
});

test("property: any name is shown as one short line of visible characters", () => {
  fc.assert(
    fc.property(text, (value) => {
      const shown = shownName(value);
      expect([...shown].length).toBeLessThanOrEqual(61);
      expect(shown).not.toMatch(/[\p{C}\u2028\u2029]/u);
      expect(shown).not.toMatch(/\p{M}{3}/u);
      expect(shown).not.toMatch(/\p{Bidi_Control}/u);
      expect(shown.trim()).toBe(shown);
      expect(shown.isWellFormed()).toBe(true);
      expect(shownName(shown)).toBe(shown);
    }),
  );
});

test.each([
  ["Editor", "Editor"],
  ["  My \t editor\n", "My editor"],
  ["Éditeur", "Éditeur"],
  ["編集者", "編集者"],
  ["محرر", "محرر"],
  ["gnp.\u202Eexe", "gnp.exe"],
  ["Ed\u200Bit\u00ADor", "Editor"],
  ["\u{e0041}\u{e0042}", ""],
  ["\u3164\u2800\u115f", ""],
  ["x".repeat(61), `${"x".repeat(60)}…`],
])("the name %j is shown as %j", (name, shown) => {
  expect(shownName(name)).toBe(shown);
});

test("the page states whether a client registered itself", () => {
  const own = consentPage(QUESTION).body.text;
  expect(own).toContain("calls itself");
  expect(own).toContain("Nobody has verified this application.");
  const known = consentPage({ ...QUESTION, client: { ...CLIENT, isRegistered: false } }).body.text;
  expect(known).not.toMatch(/calls itself|verified/);
});

test("a client without a visible name is shown as a client without a name", () => {
  for (const name of [undefined, "", "\u200b", " \u202e "]) {
    const page = consentPage({ ...QUESTION, client: { ...CLIENT, name } });
    expect(page.body.text).toContain("An application without a name");
  }
});

test.each([
  ["app.example", ["https://app.example"]],
  ["app.example:8443", ["https://app.example:8443"]],
  ["127.0.0.1:4567", ["http://127.0.0.1:4567", "https://127.0.0.1:4567"]],
  ["localhost", ["http://localhost", "https://localhost"]],
  ["[::1]:4567", ["https:", "http:"]],
  ["a;b 'unsafe-inline'", ["https:", "http:"]],
])("the consent form of a client at %s may lead to %j", (redirectHost, targets) => {
  expect(targetsOf({ ...CLIENT, redirectHost })).toEqual(targets);
});

test("property: a redirect host cannot inject anything into the policy", () => {
  fc.assert(
    fc.property(text, (redirectHost) => {
      for (const target of targetsOf({ ...CLIENT, redirectHost })) {
        expect(target).toMatch(/^https?:(?:\/\/[A-Za-z0-9.-]+(?::\d+)?)?$/);
      }
    }),
  );
});

test.each([
  ["localhost", true],
  ["LOCALHOST:1", true],
  ["127.0.0.1", true],
  ["127.8.9.1:80", true],
  ["[::1]:80", true],
  ["localhost.example", false],
  ["127.0.0.1.example", false],
  ["10.0.0.1", false],
])("isOwnMachine(%s) returns %s", (host, is) => {
  expect(isOwnMachine(host)).toBe(is);
});
