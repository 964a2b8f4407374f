import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

/** A certificate with its chain, and its private key, both PEM. */
export type Certificate = { certificate: string; key: string };

/** Whether someone else signed the certificate, so that clients may trust it. */
export function isFromAuthority({ certificate }: Certificate): boolean {
  const { issuer, subject } = new X509Certificate(certificate);
  return issuer !== subject;
}

/** A certificate or key that can't be used. The message says which and why. */
export class CertificateError extends Error {
  override name = "CertificateError";
}

/**
 * Rejects a pair that TLS clients or OpenSSL would reject later: not PEM, not matching, expired or not yet
 * valid.
 *
 * @param names how the message refers to the two, such as the variables that name their files
 * @throws CertificateError
 */
export function checkCertificate(
  pair: Certificate,
  { names, now }: { names: { certificate: string; key: string }; now: Date },
): void {
  const certificate = parseCertificate(pair.certificate, names.certificate);
  if (!certificate.checkPrivateKey(parseKey(pair.key, names.key)))
    throw new CertificateError(`${names.key} is not the private key of ${names.certificate}`);
  if (certificate.validToDate <= now)
    throw new CertificateError(`${names.certificate} expired on ${certificate.validTo}`);
  if (certificate.validFromDate > now)
    throw new CertificateError(
      `${names.certificate} is not valid before ${certificate.validFrom}. Check this host's clock`,
    );
}

function parseCertificate(pem: string, name: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new CertificateError(`${name} doesn't contain a PEM certificate`, { cause: error });
  }
}

function parseKey(pem: string, name: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new CertificateError(`${name} doesn't contain a PEM private key without a passphrase`, {
      cause: error,
    });
  }
}
