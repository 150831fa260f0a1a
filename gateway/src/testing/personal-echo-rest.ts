import type { ServiceAdapter } from "connect-rest-runtime/adapter";
import { EchoServiceRest } from "./echo-rest.ts";

const { echo } = EchoServiceRest.methods;

/**
 * The echo service with methods that only people may call, for an upstream that responds with the name of the
 * account.
 */
export const PersonalEchoServiceRest: ServiceAdapter = {
  ...EchoServiceRest,
  methods: {
    ...EchoServiceRest.methods,
    ...(echo !== undefined && { echo: { ...echo, rules: { ...echo.rules, credentials: ["oauth2"] } } }),
  },
};
