import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { ask, type Given } from "./questions.ts";

/** Answers questions, and returns the result with what was printed. */
async function answered(given: Given, answers: string): Promise<{ result: unknown; printed: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(answers);
  const printed = text(output);
  const result = await ask(given, "shelf", { input, output });
  output.end();
  return { result, printed: await printed };
}

test("asks for the name, the document, the address and the credentials", async () => {
  const { result, printed } = await answered({}, "books\n\nhttps://books.example\nbearer\n");
  expect(result).toEqual({
    name: "books",
    openapi: undefined,
    baseUrl: "https://books.example",
    credentials: "bearer",
  });
  expect(printed).toContain("Name of the API, as in the package shelf.v1 (shelf): ");
});

test("an empty answer selects the default", async () => {
  const { result } = await answered({}, "\n\n\n\n");
  expect(result).toEqual({ name: undefined, openapi: undefined, baseUrl: undefined, credentials: undefined });
});

test("asks no questions about an API with a given document", async () => {
  const { result, printed } = await answered({ openapi: "api.yaml" }, "books\n");
  expect(result).toEqual({ name: "books", openapi: "api.yaml" });
  expect(printed).not.toContain("Credentials");
});

test.each([
  ["a name with a dash", {}, "my-shop\nmy_shop\na.yaml\n", "my-shop", { name: "my_shop", openapi: "a.yaml" }],
  [
    "an unknown kind of credentials",
    { name: "a", baseUrl: "http://a" },
    "\nmagic\nbasic\n",
    "magic",
    { name: "a", openapi: undefined, baseUrl: "http://a", credentials: "basic" },
  ],
  [
    "an address with a password",
    { name: "a", credentials: "none" },
    "\nhttps://me:hush@a.example\nhttps://a.example\n",
    "https://me:hush@a.example",
    { name: "a", openapi: undefined, baseUrl: "https://a.example", credentials: "none" },
  ],
] as const)("asks again after %s", async (_, given, answers, rejected, expected) => {
  const { result, printed } = await answered(given, answers);
  expect(printed).toContain(`${rejected} is not possible here`);
  expect(result).toEqual(expected);
});

test("the end of the input ends the questions without a result", async () => {
  expect((await answered({}, "books\n")).result).toBeUndefined();
});
