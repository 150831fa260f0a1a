export {
  type Authorization,
  type AuthorizationOptions,
  createAuthorization,
  type MethodFacts,
  type RegistrationOptions,
  type SignIn,
} from "./authorization.ts";
export type {
  AuthorizationHost,
  AuthorizationLimits,
  AuthorizationLog,
  AuthorizationMetrics,
  AuthorizationReason,
  HttpExchange,
  HttpRequest,
  MakeError,
} from "./host.ts";
export type {
  AccessRejection,
  Authenticate,
  Authorize,
  EndedTokens,
  Subject,
  ToolAuthorization,
} from "./resource/resource-server.ts";
export type { ScopeMap, ScopeNeed } from "./resource/scope-map.ts";
export type { OwnClient } from "./server/own-client.ts";
export {
  type CreateSignInOptions,
  createSignIn,
  type ProbeSettings,
  type ProviderSettings,
  type SignInParts,
  type SignInSettings,
} from "./sign-in/create-sign-in.ts";
export type { CallMethod } from "./sign-in/probe.ts";
export { openStore, type StorePlace } from "./store/open-store.ts";
export type { Store } from "./store/store.ts";
