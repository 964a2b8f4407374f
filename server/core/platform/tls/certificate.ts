import { readFile } from "node:fs/promises";

import type { Config } from "#server/config.ts";
import { runLoop } from "#server/processes/run-loop.ts";

import { type Certificate, CertificateError, checkCertificate } from "./check-certificate.ts";
import { loadIssued } from "./issued.ts";
import { loadSelfSigned } from "./self-signed.ts";

type Settings = Pick<Config, "dataFolder" | "hostname" | "tls">;

/** Poll interval. Certificates are renewed weeks ahead, so seconds are soon enough. */
const LOOK_EVERY_MS = 5_000;

/**
 * Loads the certificate for all TLS listeners: from POSTHOUSE_TLS_CERT and POSTHOUSE_TLS_KEY, else the one that a
 * certificate authority issued for the hostname, else a self-signed one in the data folder.
 *
 * @throws CertificateError if it can't be used
 */
export async function loadCertificate(settings: Settings, now: Date): Promise<Certificate> {
  if (!settings.tls)
    return loadIssued(settings, now) ?? (await loadSelfSigned({ ...settings, now }));
  const pair = {
    certificate: await readPem(settings.tls.certFile, "POSTHOUSE_TLS_CERT"),
    key: await readPem(settings.tls.keyFile, "POSTHOUSE_TLS_KEY"),
  };
  checkCertificate(pair, {
    names: {
      certificate: `POSTHOUSE_TLS_CERT (${settings.tls.certFile})`,
      key: `POSTHOUSE_TLS_KEY (${settings.tls.keyFile})`,
    },
    now,
  });
  return pair;
}

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "this user has no permission to read it",
  EISDIR: "it is a folder",
};

async function readPem(file: string, variable: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? REASONS[String(error.code)] : null;
    throw new CertificateError(`${variable} (${file}) can't be read: ${reason ?? String(error)}`, {
      cause: error,
    });
  }
}

/**
 * Calls `onChange` with each new, valid certificate. If only one of the two files has been replaced yet, it
 * tries again a few seconds later. Reports each problem once through `onProblem`.
 *
 * @param current the one in use
 * @returns a function that stops watching
 */
export function watchCertificate(
  settings: Settings,
  {
    current,
    onChange,
    onProblem,
    checkEveryMs = LOOK_EVERY_MS,
  }: {
    current: Certificate;
    onChange: (certificate: Certificate) => void | Promise<void>;
    onProblem: (problem: unknown) => void;
    checkEveryMs?: number;
  },
): () => void {
  let inUse = current;
  let lastProblem = "";
  const reloadIfChanged = async () => {
    const found = await loadCertificate(settings, new Date());
    if (found.certificate !== inUse.certificate || found.key !== inUse.key) {
      await onChange(found);
      inUse = found;
    }
    lastProblem = "";
  };
  const watching = runLoop(reloadIfChanged, {
    ...{ pauseMs: checkEveryMs, firstPauseMs: checkEveryMs, ref: false },
    onError: (problem) => {
      if (String(problem) !== lastProblem) onProblem(problem);
      lastProblem = String(problem);
    },
  });
  return () => void watching.stop();
}
