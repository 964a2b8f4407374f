import type { TLSSocket } from "node:tls";

import type {
  TlsFailure,
  TlsOutcome,
  TlsPolicy,
} from "#server/core/sending/transport-security/tls-outcome.ts";

import type { DaneTerms } from "./match-tlsa.ts";

const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_(UNTRUSTED|REJECTED|REVOKED|CHAIN_TOO_LONG)|INVALID_(CA|PURPOSE))/;

/** Why a handshake or the check of a certificate failed, by the error or by OpenSSL's code. */
export function certificateFailure(error: Error | string | undefined | null): TlsFailure {
  const given = error instanceof Error && "code" in error ? error.code : error;
  const code = typeof given === "string" ? given : "";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "certificate-host-mismatch";
  if (code === "CERT_HAS_EXPIRED") return "certificate-expired";
  return UNTRUSTED.test(code) ? "certificate-not-trusted" : "validation-failure";
}

type Accepted = { policy: TlsPolicy; dane?: DaneTerms; isUnlisted?: boolean };

const daneResult = ({ records }: DaneTerms) => (records.length > 0 ? "valid" : "unchecked");

const publicResult = ({ authorized, authorizationError }: TLSSocket) =>
  authorized ? "valid" : certificateFailure(authorizationError);

/** The outcome of a handshake that succeeded. Unless the policy requires a valid certificate, it may be invalid. */
export function readHandshake(
  socket: TLSSocket,
  { policy, dane, isUnlisted }: Accepted,
): TlsOutcome {
  const result = dane ? daneResult(dane) : publicResult(socket);
  return {
    policy,
    result: isUnlisted ? "validation-failure" : result,
    encryption: {
      version: socket.getProtocol() ?? "TLS",
      cipher: socket.getCipher().standardName,
    },
  };
}
