import { type Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_CONFIG_FILE } from "../config/environment.ts";

/** Declares a command with the settings that all commands share. */
export type Declare = (name: string, description: string) => Command;

const AFTER_LOGIN = `
The person signs in by a browser on this machine: the address to open is printed, and opened where there is a browser. Where nobody
can, a program signs in by itself: --client-credentials, with --client-id and --client-secret-file.

Tokens are kept in a file that nobody else can read (--token-file; default ~/.config/connect-rest/tokens.json, or what
CONNECT_REST_TOKEN_FILE names), and refreshed when they are used.`;

const AFTER_TOKEN = `
For example: curl -H "authorization: Bearer $(connect-rest token https://gateway.example.com)" …

CONNECT_REST_ACCESS_TOKEN, where it is set, is printed as it is: programs that speak over standard input and output, and
others that nobody signs in, take their token from the environment.`;

const AFTER_UPSTREAM_LOGIN = `
The endpoints and the client are those of the upstream's credentials: authorizeUrl, tokenUrl, clientId and tokenFile of oauth2, or
requestTokenUrl, authorizeUrl, accessTokenUrl, token and tokenSecret of oauth1. The tokens are written to the files that these
settings name, so that nobody else can read them. The browser comes back to http://127.0.0.1:PORT/callback, which the service may
have to know.`;

/**
 * Adds the commands `login`, `logout`, `status` and `token`, which make this machine a client of an
 * authorization server, and `upstream-login`, which makes the gateway the client.
 */
export function addOAuthCommands(declare: Declare): void {
  declare("login", "sign in to a gateway, and keep the tokens for this user")
    .argument("<gateway>", "its address, e.g. https://gateway.example.com", parseGateway)
    .option("--client-id <id>", "the client's ID, where clients do not register themselves")
    .option("--client-secret-file <file>", "the file with the client's secret")
    .option("--client-credentials", "sign in as the client itself, without a person")
    .option("--scope <scopes>", "what to ask for, separated by spaces; default: what the gateway asks for")
    .option("--resource <url>", "what the tokens are for (RFC 8707); default: what the gateway says")
    .option("--port <port>", "the port that the browser comes back to; default: a free one", parsePort)
    .option("--no-browser", "print the address, and open no browser")
    .addOption(tokenFile())
    .addHelpText("after", AFTER_LOGIN)
    .action(async (gateway, options) => (await import("./login.ts")).login(gateway, options));
  declare("logout", "revoke the tokens for a gateway, and forget them")
    .argument("<gateway>", "its address", parseGateway)
    .addOption(tokenFile())
    .action(async (gateway, options) => (await import("./logout.ts")).logout(gateway, options));
  declare("status", "say where this user is signed in, and until when; fails where they are not")
    .argument("[gateway]", "the address of one gateway; default: all", parseGateway)
    .option("--json", "print it as JSON")
    .addOption(tokenFile())
    .action(async (gateway, options) => (await import("./status.ts")).status(gateway, options));
  declare("token", "print an access token for a gateway, refreshed where it has to be")
    .argument("<gateway>", "its address", parseGateway)
    .addOption(tokenFile())
    .addHelpText("after", AFTER_TOKEN)
    .action(async (gateway, options) => (await import("./token.ts")).token(gateway, options));
  declare(
    "upstream-login",
    "let a person allow the gateway to act for them at an upstream, by OAuth 1.0a or OAuth 2",
  )
    .argument("<upstream>", "the upstream's name in the configuration")
    .option("--config <file>", "the configuration file", DEFAULT_CONFIG_FILE)
    .option("--port <port>", "the port that the browser comes back to; default: a free one", parsePort)
    .option("--no-browser", "print the address, and open no browser")
    .addHelpText("after", AFTER_UPSTREAM_LOGIN)
    .action(async (name, options) => (await import("./upstream-login.ts")).upstreamLogin(name, options));
}

/** Declares the option for the file with the tokens of `login`. */
export function tokenFile(): Option {
  return new Option("--token-file <file>", "where the tokens are kept").env("CONNECT_REST_TOKEN_FILE");
}

/** Checks the address of a gateway. */
export function parseGateway(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.search + url.hash === "") {
    return text;
  }
  throw new InvalidArgumentError("Expected an address, e.g. https://gateway.example.com.");
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError("Expected a port from 1 to 65535.");
}
