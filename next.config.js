/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // Our server folds doubled and trailing slashes itself; Next would answer them with a redirect.
  skipTrailingSlashRedirect: true,
  // Types are checked by `npm test`, once.
  typescript: { ignoreBuildErrors: true },
  // Loaded as they are: native code, worker threads, or one copy shared with the process around Next.
  serverExternalPackages: ["@node-rs/argon2", "pino", "postgres"],
  turbopack: { root: import.meta.dirname },
};
