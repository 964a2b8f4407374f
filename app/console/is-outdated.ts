/** Part of the page could not be loaded because the server now runs another build than this tab. */
export const isOutdated = ({ name, message }: Error): boolean =>
  name === "ChunkLoadError" ||
  /loading (css )?chunk|load chunk|dynamically imported/i.test(message);
