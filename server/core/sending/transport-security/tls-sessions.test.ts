import { expect, test } from "vitest";

import { formatTls, type TlsOutcome } from "#mail/smtp/tls.ts";

import { explainTls } from "./tls-sessions.ts";

const encryption = { version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384" };
const explain = (outcome: TlsOutcome) => explainTls(formatTls(outcome));

test("an outcome is stored as words and explained in a sentence", () => {
  const outcome: TlsOutcome = { policy: "dane", result: "valid", encryption };
  expect(formatTls(outcome)).toBe("dane valid TLSv1.3 TLS_AES_256_GCM_SHA384");
  expect(explain(outcome)).toBe(
    "Encrypted with TLS 1.3, TLS_AES_256_GCM_SHA384, certificate valid (required by DANE).",
  );
});

test.each<[TlsOutcome, string]>([
  [
    { policy: "opportunistic", result: "certificate-not-trusted", encryption },
    "Encrypted with TLS 1.3, TLS_AES_256_GCM_SHA384, but the certificate isn’t from a trusted authority.",
  ],
  [
    { policy: "dane", result: "unchecked", encryption },
    "Encrypted with TLS 1.3, TLS_AES_256_GCM_SHA384 (required by DANE).",
  ],
  [
    { policy: "opportunistic", result: "starttls-not-supported", encryption: null },
    "Not encrypted: the server doesn’t offer STARTTLS.",
  ],
  [
    { policy: "mta-sts", result: "certificate-expired", encryption: null },
    "Not sent without TLS: the certificate has expired (required by MTA-STS).",
  ],
  [
    { policy: "mta-sts-testing", result: "starttls-not-supported", encryption: null },
    "Not encrypted: the server doesn’t offer STARTTLS. The MTA-STS policy is in testing mode.",
  ],
])("%o is explained", (outcome, sentence) => {
  expect(explain(outcome)).toBe(sentence);
});
