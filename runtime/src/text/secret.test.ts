import { format, inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Secret } from "./secret.ts";

describe("a secret", () => {
  const secret = new Secret("hunter2");

  test("is printed nowhere", () => {
    const holder = { deep: { secret }, list: [secret] };
    const printed = [
      String(secret),
      `${secret}`,
      `x${secret as unknown as string}`,
      JSON.stringify(holder),
      inspect(secret),
      inspect(holder, { depth: 9, showHidden: true }),
      format("%s %o %j %O", secret, secret, secret, secret),
      Object.values(secret).join(),
      JSON.stringify(Object.getOwnPropertyDescriptors(secret)),
      new Error("e", { cause: secret }).stack,
      inspect(new Error("e", { cause: secret })),
    ].join("\n");
    expect(printed).not.toContain("hunter2");
    expect(inspect(holder)).toBe("{ deep: { secret: [secret] }, list: [ [secret] ] }");
  });

  test("is revealed on demand, and stays what it is", () => {
    expect(secret.reveal()).toBe("hunter2");
    expect(Secret.of(secret)).toBe(secret);
    expect(Secret.of("x").reveal()).toBe("x");
  });
});
