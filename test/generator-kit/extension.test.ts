/** Checks that a property that a generator inserts into adapters type-checks after its declaration. */
import type { ServiceAdapter } from "connect-rest-runtime/adapter";
import { expect, test } from "vitest";
import { PlaceService } from "../gen/rules/v1/places_pb.ts";

declare module "connect-rest-runtime/adapter" {
  interface AdapterExtensions {
    readonly routesOfTest?: readonly string[];
  }
}

/** An adapter as in a generated file, with the inserted line before the insertion point. */
const extended: ServiceAdapter<typeof PlaceService> = {
  service: PlaceService,
  methods: {},
  routesOfTest: ["GET /a"],
};

test("an adapter can have a property that is declared in AdapterExtensions", () => {
  expect(extended.routesOfTest).toEqual(["GET /a"]);
});
