import type net from "node:net";
import tls from "node:tls";
import type { Limits } from "../limits.ts";
import type { Callbacks, Timer } from "./callbacks.ts";
import type { Certificate } from "./certificate.ts";
import { type Identified, type Identify, ofSocket } from "./preface.ts";

/** TLS for the port. ALPN selects the protocol of a connection (RFC 7301). */
export interface Secure {
  readonly identify: Identify;
  /** Uses a certificate for new connections; open connections keep theirs. */
  use(certificate: Certificate): void;
}

/** Receives failed handshakes and defects. */
interface TlsNotified {
  readonly onTlsFailure: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Creates the TLS server of the port. The server does not listen itself, but receives connections. A client
 * without ALPN gets HTTP/1.1, and a client that offers only unknown protocols is rejected. If client
 * authorities are configured, a client without a certificate is rejected as well. A handshake that fails, or
 * takes longer than `headersTimeoutMs`, ends the connection, and so does a client that leaves during it.
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
    // `identify` limits the time of the handshake.
    handshakeTimeout: 0,
    // If authorities are set, the handshake fails for a client without a certificate that one of them has
    // signed.
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
      socket.allowHalfOpen = true;
      const protocol = socket.alpnProtocol === "h2" ? "http2" : "http1";
      ofSocket(socket, onError).guarded(report)(protocol, socket);
    }
  });
  return {
    identify: (socket, report) => {
      const name = nameOf(socket);
      const ofConnection = ofSocket(socket, onError);
      const timer = handshakeTimer(socket, limits.headersTimeoutMs, ofConnection);
      waiting.set(name, (protocol, secured) => {
        timer.stop();
        report(protocol, secured);
      });
      ofConnection.once(socket, "close", () => {
        timer.stop();
        waiting.delete(name);
      });
      ofConnection.on(socket, "error", () => socket.destroy());
      // A half-open socket would outlive a client that leaves during the handshake. The TLS socket takes
      // over this setting, and becomes half-open after the handshake.
      socket.allowHalfOpen = false;
      server.emit("connection", socket);
    },
    use: (next) => server.setSecureContext(next),
  };
}

/**
 * Ends a handshake that takes too long. If the timer is late by half of its duration, the process was
 * stopped; the peer then gets the full time again, since a handshake takes several round trips.
 */
function handshakeTimer(socket: net.Socket, ms: number, callbacks: Callbacks): Timer {
  let startedAt = performance.now();
  const timer = callbacks.after(ms, () => {
    const now = performance.now();
    const isLate = now - startedAt > 1.5 * ms;
    startedAt = now;
    if (isLate) {
      timer.restart();
    } else {
      socket.destroy();
    }
  });
  return timer;
}

/**
 * Returns a string that identifies the peer. It is the same for a TLS socket and its underlying connection.
 */
function nameOf({ remoteAddress, remotePort }: net.Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
