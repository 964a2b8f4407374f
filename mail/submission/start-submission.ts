import {
  startSubmissionListener,
  type SubmissionListener,
  type SubmissionOptions,
} from "./submission-listener.ts";

/**
 * Starts both submission listeners: TLS from the first byte on `submissions`, STARTTLS on `submission`.
 *
 * @throws Error when one of them cannot listen
 */
export async function startSubmission({
  ports,
  ...options
}: Omit<SubmissionOptions, "port" | "isImplicitTls"> & {
  ports: { submission: number; submissions: number };
}): Promise<Pick<SubmissionListener, "useCertificate" | "stop">> {
  const listeners = [
    await startSubmissionListener({ ...options, port: ports.submissions, isImplicitTls: true }),
    await startSubmissionListener({ ...options, port: ports.submission, isImplicitTls: false }),
  ];
  return {
    useCertificate: (certificate) =>
      listeners.forEach((listener) => listener.useCertificate(certificate)),
    stop: async () => {
      await Promise.all(listeners.map((listener) => listener.stop()));
    },
  };
}
