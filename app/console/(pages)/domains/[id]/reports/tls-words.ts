/** The result types of TLS reports (RFC 8460, 4.3) in plain words. */
const TYPES: Record<string, string> = {
  "starttls-not-supported": "Our server did not offer encryption.",
  "certificate-host-mismatch": "The certificate is for another name than the mail host's.",
  "certificate-expired": "The certificate has expired.",
  "certificate-not-trusted": "The certificate is not from an authority that others trust.",
  "validation-failure":
    "The encrypted connection could not be made, for a reason that is not told.",
  "tlsa-invalid": "The TLSA record (DANE) does not fit the certificate.",
  "dnssec-invalid": "The DNSSEC signatures of the domain are not valid.",
  "dane-required": "The sender asks for DANE, and the domain has none.",
  "sts-policy-fetch-error": "The MTA-STS policy could not be fetched.",
  "sts-policy-invalid": "The MTA-STS policy could not be read.",
  "sts-webpki-invalid": "The web server of the MTA-STS policy has no valid certificate.",
};

export function tlsTypeInWords(type: string): string {
  return TYPES[type] ?? "Another failure of the encrypted connection.";
}
