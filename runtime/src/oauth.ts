/**
 * Clients of an authorization server: discovery, sign-in, storing and refreshing tokens, and an interceptor
 * that sends the tokens.
 */

export { type PersonOptions, SIGN_IN_TIMEOUT_MS } from "./oauth/browser.ts";
export {
  type AuthorizationServer,
  type DiscoveryOptions,
  discover,
  PROTOCOL_VERSION,
} from "./oauth/discovery.ts";
export { TOKEN_VARIABLE, tokenFromEnvironment } from "./oauth/environment.ts";
export { bearerInterceptor } from "./oauth/interceptor.ts";
export type { OAuthHttp } from "./oauth/options.ts";
export { type AccessTokens, allStatuses, Session, type SessionStatus } from "./oauth/session.ts";
export { type ClientOptions, type SignInOptions, signIn, signInAsClient } from "./oauth/sign-in.ts";
export { type TokenEntry, TokenFile, tokenStore } from "./oauth/token-file.ts";
export {
  type OAuth1Flow,
  type OAuth1Token,
  type OAuth2Flow,
  signInByOAuth1,
  signInByOAuth2,
} from "./oauth/upstream-sign-in.ts";
export { writePrivateFile } from "./private-file/private-file.ts";
