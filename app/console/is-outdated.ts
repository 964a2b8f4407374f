/** A part of the page was not there any more: the server has another build than the one this tab began with. */
export const isOutdated = ({ name, message }: Error): boolean =>
  name === "ChunkLoadError" ||
  /loading (css )?chunk|load chunk|dynamically imported/i.test(message);
