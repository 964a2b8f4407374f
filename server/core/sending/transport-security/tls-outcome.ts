const REQUIREMENTS: Record<string, string> = {
  "mta-sts": "MTA-STS",
  dane: "DANE",
  required: "the smarthost’s settings",
};

const FAILURES: Record<string, string> = {
  "starttls-not-supported": "the server doesn’t offer STARTTLS",
  "certificate-host-mismatch": "the certificate is for another host",
  "certificate-expired": "the certificate has expired",
  "certificate-not-trusted": "the certificate isn’t from a trusted authority",
  "validation-failure": "the certificate or the host couldn’t be validated",
  "tlsa-invalid": "the certificate doesn’t match the TLSA records",
  "dnssec-invalid": "the TLSA records couldn’t be looked up",
};

/** Describes a stored outcome in a sentence. */
export function explainTls(stored: string): string {
  const [policy = "", result = "", version, cipher] = stored.split(" ");
  const requirement = REQUIREMENTS[policy];
  const by = requirement ? ` (required by ${requirement})` : "";
  const note = policy === "mta-sts-testing" ? " The MTA-STS policy is in testing mode." : "";
  const failure = FAILURES[result];
  if (!version)
    return `${requirement ? "Not sent without TLS" : "Not encrypted"}: ${failure}${by}.${note}`;
  const encryption = `Encrypted with ${version.replace("TLSv", "TLS ")}, ${cipher}`;
  if (failure) return `${encryption}, but ${failure}.${note}`;
  return `${encryption}${result === "valid" ? ", certificate valid" : ""}${by}.${note}`;
}
