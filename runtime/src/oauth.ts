/** Clients of an authorization server: discovery, sign-in, tokens that are kept and renewed, and an interceptor that sends them. */

export {
  type AuthorizationServer,
  type DiscoveryOptions,
  discover,
  PROTOCOL_VERSION,
} from "./oauth/discovery.ts";
export { TOKEN_VARIABLE, tokenFromEnvironment } from "./oauth/environment.ts";
export { bearerInterceptor } from "./oauth/interceptor.ts";
export type { OAuthHttp } from "./oauth/options.ts";
export {
  listenForRedirect,
  REDIRECT_PATH,
  type Redirected,
  type RedirectOptions,
  type RedirectServer,
} from "./oauth/redirect-server.ts";
export type { ResultPage } from "./oauth/result-page.ts";
export { type AccessTokens, allStatuses, Session, type SessionStatus } from "./oauth/session.ts";
export {
  type ClientOptions,
  SIGN_IN_TIMEOUT_MS,
  type SignInOptions,
  signIn,
  signInAsClient,
} from "./oauth/sign-in.ts";
export { type TokenEntry, TokenFile, tokenStore } from "./oauth/token-file.ts";
