import type { DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { createScopeMap, EXPLAIN_SCOPES } from "./scopes.ts";

const { echo, repeat, join } = EchoService.method;
const ANNOTATED = new Map<DescMethod, readonly string[]>([
  [echo, ["write", "offline_access"]],
  [repeat, ["basic", "write"]],
  [join, []],
]);

test("a method requires one of the scopes whose patterns match the method, or all annotated scopes if no pattern matches", () => {
  const map = createScopeMap(
    [
      { name: "read", methods: ["echo.v1.EchoService/Echo"] },
      { name: "all", methods: ["echo.v1.EchoService/Echo", "grpc.*"] },
    ],
    ANNOTATED,
  );
  expect(map.names).toEqual(["read", "all", "write", "basic"]);
  expect(map.needOf(echo)).toEqual({ kind: "one", scopes: ["read", "all"] });
  expect(map.needOf(repeat)).toEqual({ kind: "all", scopes: ["basic", "write"] });
  expect(map.needOf(join)).toBeUndefined();
  expect(map.needOf(Health.method.check)).toEqual({ kind: "one", scopes: ["all"] });
});

test.each([
  ["echo.v1.EchoService/Echo", true],
  ["echo.v1.EchoService", true],
  ["echo.v1.*", true],
  ["echo.*", true],
  ["*", true],
  ["echo.v1.EchoService/Ech", false],
  ["echo.v1.Echo", false],
  ["cho.v1.*", false],
])("the pattern %s matches the method Echo: %s", (pattern, isNamed) => {
  const map = createScopeMap([{ name: "a", methods: [pattern] }], new Map());
  expect(map.needOf(echo) !== undefined).toBe(isNamed);
});

test("without configured or annotated scopes, there is a default scope", () => {
  expect(createScopeMap([], new Map()).names).toEqual(["call"]);
  expect(createScopeMap([], new Map(), EXPLAIN_SCOPES).names).toEqual(["call", "explain"]);
});
