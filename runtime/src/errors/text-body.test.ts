import fc from "fast-check";
import { expect, test } from "vitest";
import { readTextBody } from "./text-body.ts";

test.each<[name: string, type: string, body: string, text: string | undefined, subcode?: string]>([
  ["plain text", "text/plain; charset=utf-8", "Try later", "Try later"],
  ["text of another type", "application/octet-stream", "Try later", undefined],
  ["HTML", "text/html", "<!DOCTYPE html>\n<html><title>\n502 Bad <b>Gateway</b>", "502 Bad Gateway"],
  [
    "HTML that is declared as text",
    "text/plain",
    " <html><TITLE lang='en'>No &amp; never</TITLE>",
    "No & never",
  ],
  ["HTML without a title", "text/html", "<html><h1>Sorry</h1></html>", undefined],
  [
    "XML of AWS",
    "application/xml",
    "<?xml version='1.0'?><Error><Code>NoSuchKey</Code><Message>No &lt;key&gt;</Message></Error>",
    "No <key>",
    "NoSuchKey",
  ],
  [
    "XML of AWS, nested",
    "text/xml",
    "<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message><![CDATA[Too <fast> & so]]></Message></Error></ErrorResponse>",
    "Too <fast> & so",
    "Throttling",
  ],
  [
    "SOAP",
    "text/xml",
    "<s:Envelope><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>No</faultstring></s:Fault>",
    "No",
    "s:Client",
  ],
  ["XML without a message", "application/xml", "<error><code>7</code></error>", "7", "7"],
  ["XML of another kind", "application/xml", "<a><b>c</b></a>", undefined],
  ["XML that ends early", "application/xml", "<error><message>It is cut o", "It is cut o"],
])(
  "the error text and code are read from a body that is not JSON: %s",
  (_name, type, body, text, subcode) => {
    expect(readTextBody(type, body)).toEqual({
      ...(text !== undefined && { text }),
      ...(subcode !== undefined && { subcode }),
    });
  },
);

test("property: any body that is not JSON can be read, and its text has no markup", () => {
  const part = fc.constantFrom(
    ..."<title> </title> <Message> </Message> &amp; &#x110000; &#xd800; &#0; < > a <x y='".split(" "),
  );
  const bodies = fc.array(part, { maxLength: 400 }).map((parts) => `<${parts.join("")}`);
  fc.assert(
    fc.property(bodies, fc.constantFrom("text/html", "text/xml", ""), (body, type) => {
      const { text = "" } = readTextBody(type, body);
      expect(text).not.toMatch(/<\/?(title|Message)>/);
    }),
  );
});
