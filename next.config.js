/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // Types are checked by `npm test`, once.
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: import.meta.dirname },
};
