import { expect, test } from "vitest";

import { readFailure } from "./outgoing-http.ts";

// Node's names of OpenSSL errors (X509_V_ERR_…). The first is a server that omits its intermediate
// certificate.
test.each([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_HAS_EXPIRED",
  "CERT_REVOKED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
])("%s is a certificate error", (code) => {
  expect(readFailure(Object.assign(new Error(), { code })).code).toBe("certificate");
});
