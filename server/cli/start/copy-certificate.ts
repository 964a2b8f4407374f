import { join } from "node:path";

import type { Config } from "#server/config.ts";
import {
  type Certificate,
  loadCertificate,
  watchCertificate,
} from "#server/core/platform/tls/certificate.ts";
import { removeFile } from "#server/processes/open-no-follow.ts";
import { replacePrivateFile } from "#server/processes/private-file.ts";

/**
 * Copies the operator's certificate into the data folder and replaces the copy at each renewal. The files
 * of certbot and the like are readable by root only, and the services don't run as root. Does nothing
 * unless run by root.
 *
 * @returns the files for the services, and a function that stops watching for renewals
 * @throws CertificateError when the certificate can't be used
 */
export async function copyCertificate(
  config: Config,
  { onProblem }: { onProblem: (problem: unknown) => void },
): Promise<{ tls: Config["tls"]; stop: () => void }> {
  if (process.getuid!() !== 0) return { tls: config.tls, stop: () => {} };
  const certFile = join(config.dataFolder, "tls/configured.crt");
  const keyFile = join(config.dataFolder, "tls/configured.key");
  if (!config.tls) {
    for (const file of [certFile, keyFile]) removeFile(file);
    return { tls: null, stop: () => {} };
  }
  const write = ({ certificate, key }: Certificate) => {
    replacePrivateFile(keyFile, key);
    replacePrivateFile(certFile, certificate);
  };
  const current = await loadCertificate(config, new Date());
  write(current);
  const stop = watchCertificate(config, { current, onChange: write, onProblem });
  return { tls: { certFile, keyFile }, stop };
}
