import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { bufCurlCommand, curlCommand, exampleMessage, quote } from "./example-commands.ts";

test("the example commands are quoted for a shell", () => {
  const { echo } = EchoService.method;
  const command = curlCommand(echo, "http://a", { "echo.v1.EchoService/Echo": { text: "it's $HOME" } }) ?? "";
  // Not execFileSync("curl"), because the test checks the quoting.
  const args = execFileSync("sh", ["-c", command.replace(/^curl/, "printf '%s\\n'")]).toString();
  expect(args.split("\n").slice(0, 4)).toEqual([
    "-d",
    '{"text":"it\'s $HOME"}',
    "-H",
    "content-type: application/json",
  ]);
  expect(bufCurlCommand(echo, "http://a", {})).toBe(
    `npx buf curl --protocol grpc --http2-prior-knowledge --data '{"text":"..."}' http://a/echo.v1.EchoService/Echo`,
  );
  expect(exampleMessage(echo, {})).toBe('{"text":"..."}');
  expect(quote("'")).toBe("''\\'''");
});
