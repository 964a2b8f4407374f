import type { PostedNotice } from "#drizzle/schema/index.ts";

/** Slack, Mattermost and Rocket.Chat give these three characters a meaning. */
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A notice as the text of an incoming webhook of Slack, Mattermost or Rocket.Chat. */
export const slackText = ({
  subject,
  paragraphs,
  url,
}: Pick<PostedNotice, "subject" | "paragraphs" | "url">): string =>
  [`*${subject}*`, ...paragraphs, ...(url ? [url] : [])]
    .map((line) => line.replace(/[&<>]/g, (character) => ENTITIES[character]!))
    .join("\n");
