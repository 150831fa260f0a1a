import type net from "node:net";
import tls from "node:tls";
import type { Limits } from "../limits.ts";
import type { Callbacks } from "./callbacks.ts";
import type { Certificate } from "./certificate.ts";
import { type Identified, type Identify, ofSocket } from "./preface.ts";

/** TLS in front of the port: what connections speak is agreed upon by ALPN (RFC 7301). */
export interface Secure {
  readonly identify: Identify;
  /** New connections get this certificate; those that are open keep theirs. */
  use(certificate: Certificate): void;
}

/** Who hears of handshakes that fail, and of defects. */
interface TlsNotified {
  readonly onTlsFailure: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Creates TLS that listens nowhere and is handed connections. A client that offers no protocol gets HTTP/1.1;
 * one that offers others alone is rejected, and so is one without a certificate where authorities are named. A
 * handshake that fails, or takes longer than `headersTimeoutMs`, ends the connection.
 */
export function createSecure(
  certificate: Certificate,
  limits: Limits,
  callbacks: Callbacks,
  { onTlsFailure, onError }: TlsNotified,
): Secure {
  const waiting = new Map<string, Identified>();
  const server = tls.createServer({
    ...certificate,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: limits.headersTimeoutMs,
    // A client without a certificate of theirs does not get beyond the handshake.
    requestCert: certificate.ca !== undefined,
    rejectUnauthorized: certificate.ca !== undefined,
  });
  callbacks.on(server, "tlsClientError", (_error: Error, socket: tls.TLSSocket) => {
    onTlsFailure();
    socket.destroy();
  });
  callbacks.on(server, "secureConnection", (socket: tls.TLSSocket) => {
    const report = waiting.get(nameOf(socket));
    waiting.delete(nameOf(socket));
    if (report === undefined) {
      socket.destroy();
    } else {
      const protocol = socket.alpnProtocol === "h2" ? "http2" : "http1";
      ofSocket(socket, onError).guarded(report)(protocol, socket);
    }
  });
  return {
    identify: (socket, report) => {
      const name = nameOf(socket);
      const ofConnection = ofSocket(socket, onError);
      waiting.set(name, report);
      ofConnection.once(socket, "close", () => waiting.delete(name));
      ofConnection.on(socket, "error", () => socket.destroy());
      server.emit("connection", socket);
    },
    use: (next) => server.setSecureContext(next),
  };
}

/** TLS wraps a connection in another object, which has the same peer. */
function nameOf({ remoteAddress, remotePort }: net.Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
