import { join } from "node:path";

import { compressStatic } from "./server/cli/bootstrap/compress-static.mjs";

/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // No page uses it, and an endpoint that nobody needs is one less to attack.
  images: { unoptimized: true },
  // A release passes one, so that the same sources build the same files. Next.js makes one up otherwise.
  generateBuildId: () => process.env.POSTHOUSE_BUILD_ID || null,
  // Types are checked by `npm test`, once.
  typescript: { ignoreBuildErrors: true },
  experimental: {
    // A page is loaded when it is first opened. Loading all of them takes 10 MB and half a second of the start.
    preloadEntriesOnStart: false,
    // Pages are rendered for each request, for the nonce of their policy, and hold no data: one that was
    // fetched is as good as a new one, and one under the pointer may be fetched before it is asked for.
    staleTimes: { dynamic: 600 },
    dynamicOnHover: true,
    // Merges the dozen small chunks that all pages share: together they compress to 12 kB less.
    turbopackChunking: { minChunkSize: 1_000_000, maxMergeChunkSize: 3_000_000 },
  },
  compiler: {
    runAfterProductionCompile: ({ distDir }) => compressStatic(join(distDir, "static")),
  },
  redirects: () => [
    { source: "/console/you", destination: "/console/profile", permanent: true },
    {
      // One redirect URL is registered with identity providers. The state begins with the area that the sign-in is for.
      source: "/console/sign-in/provider",
      has: [{ type: "query", key: "state", value: "account\\..*" }],
      destination: "/account/sign-in/provider",
      permanent: false,
    },
  ],
  turbopack: { root: import.meta.dirname },
};
