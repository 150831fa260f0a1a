import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Form, readForm, readFormInPieces } from "./form.ts";

/** Reads a form in pieces, without pauses between them. */
function inPieces(text: string): Form {
  const work = readFormInPieces(text);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

test("readForm parses the response of a token endpoint", () => {
  const text = "oauth_token=a%2Bb&oauth_token_secret=c+d&oauth_callback_confirmed=true\n";
  expect(readForm(text)).toEqual({
    value: { oauth_token: "a+b", oauth_token_secret: "c d", oauth_callback_confirmed: "true" },
    malformed: false,
  });
});

test("readForm returns repeated names as lists, keeps malformed escapes, and treats no name specially", () => {
  expect(readForm("a=1&a=2&a=&b=%zz&c").value).toEqual({ a: ["1", "2", ""], b: "%zz", c: "" });
  expect(Object.keys(readForm("__proto__=1").value ?? {})).toEqual(["__proto__"]);
});

test.each(["OK", "<html lang='en'>hi</html>", '{"a":"b=c"}', '["a=b"]', "Busy, retry=5", '"a=b"'])(
  "readForm returns a string that is not a form unchanged: %s",
  (text) => {
    expect(readForm(text)).toEqual({ value: text, malformed: false });
    expect(inPieces(text)).toEqual({ value: text, malformed: false });
  },
);

test.each(["", " \r\n"])("readForm returns undefined for the empty string %j", (text) => {
  expect(readForm(text).value).toBeUndefined();
});

test("property: escapes with invalid UTF-8 are recognized, in pieces as in one string", () => {
  const bytes = fc.array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xff), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.array(bytes, { minLength: 1, maxLength: 4 }), fc.nat(2), (values, repeats) => {
      const escaped = (value: readonly number[]) => value.map((byte) => `%${byte.toString(16)}`).join("");
      const pairs = values.map((value, index) => `n${index}=${escaped(value)}`);
      const long = `pad=${"x".repeat(40_000)}&`.repeat(repeats);
      const text = `first=1&${long}${pairs.join("&")}`;
      const found = readForm(text);
      expect(found.malformed).toBe(!values.every((value) => isUtf8(Uint8Array.from(value))));
      expect(inPieces(text)).toEqual(found);
    }),
  );
});
