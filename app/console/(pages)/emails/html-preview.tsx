import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { EmailFrame } from "#app/console/ui/email-frame.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./emails.module.css";
import { hasDarkStyle, previewDocument, remoteImageUrls } from "./preview-document.ts";
import { remoteImageQuery } from "./queries.ts";

const NO_IMAGES = {};

const SCHEMES = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

/** Later ones stay gray. */
const REMOTE_MAX = 100;

type HtmlPreviewProps = { html: string; images?: Record<string, string> };

/**
 * Renders an email's HTML without scripts or working links. Remote images are loaded on request, through our server, so
 * that their servers learn nothing about the reader.
 *
 * @param images inline images as data URLs, by content ID
 */
export function HtmlPreview({ html, images = NO_IMAGES }: HtmlPreviewProps) {
  const [withRemote, setWithRemote] = useState(false);
  const [wantsDark, setWantsDark] = useState(false);
  const scheme = schemeOf(html, wantsDark);
  const urls = useMemo(() => remoteImageUrls(html).slice(0, REMOTE_MAX), [html]);
  const remote = useQueries({
    queries: withRemote ? urls.map(remoteImageQuery) : [],
    combine: combineImages,
  });
  const preview = useMemo(
    () => previewDocument(html, { inline: images, remote: remote.images, scheme }),
    [html, images, remote.images, scheme],
  );
  return (
    <>
      {urls.length > 0 && !withRemote && (
        <Group
          justify="space-between"
          gap="8px 16px"
          p="8px 12px"
          mb="sm"
          className={classes.sunken}
        >
          <Text size="sm">Remote images are blocked.</Text>
          <Button variant="default" size="xs" onClick={() => setWithRemote(true)}>
            Load images
          </Button>
        </Group>
      )}
      {withRemote && (
        <Text size="sm" c="dimmed" mb="xs" role="status">
          {loadingStatus(remote)}
        </Text>
      )}
      <EmailFrame html={preview} title="Email preview" scheme={scheme} />
      <Group justify="space-between" gap="8px 16px" mt="xs">
        <Text size="sm" c="dimmed">
          Links don’t work in the preview.
          {scheme === "inverted" && " In dark mode, each mail app changes colors differently."}
        </Text>
        <SegmentedControl
          aria-label="Color scheme of the preview"
          size="xs"
          data={SCHEMES}
          value={wantsDark ? "dark" : "light"}
          onChange={(value) => setWantsDark(value === "dark")}
        />
      </Group>
    </>
  );
}

function loadingStatus({ isPending, failed }: { isPending: boolean; failed: number }) {
  if (isPending) return "Loading images…";
  return failed > 0 && `${pluralize(failed, "image")} couldn’t be loaded.`;
}

function schemeOf(html: string, wantsDark: boolean) {
  if (!wantsDark) return "light";
  return hasDarkStyle(html) ? "dark" : "inverted";
}

type Image = { source: string; data: string };

/** All at once: the frame is loaded again with each change. */
function combineImages(
  results: { data?: Image | undefined; isPending: boolean; isError: boolean }[],
) {
  const isPending = results.some((result) => result.isPending);
  const loaded = isPending ? [] : results.flatMap(({ data }) => data ?? []);
  return {
    isPending,
    failed: results.filter(({ isError }) => isError).length,
    images: Object.fromEntries(loaded.map(({ source, data }) => [source, data])),
  };
}

const DEBOUNCE_MS = 400;

const KINDS = [
  { value: "html", label: "HTML" },
  { value: "text", label: "Text" },
];

type ContentPreviewProps = {
  title?: string;
  subject: string;
  html: string;
  text: string;
};

/**
 * An email as it will look. With both versions of the content, the reader chooses one.
 *
 * @param text "" if there is no text version, or if it is generated
 */
export function ContentPreview({ title = "Preview", subject, html, text }: ContentPreviewProps) {
  const [kind, setKind] = useState("html");
  const [settled] = useDebouncedValue(html, DEBOUNCE_MS);
  const hasBoth = html.trim() !== "" && text.trim() !== "";
  const showsText = hasBoth ? kind === "text" : html.trim() === "" && text !== "";
  return (
    <Panel
      title={title}
      aside={
        hasBoth && (
          <SegmentedControl
            aria-label="Version of the content"
            size="xs"
            data={KINDS}
            value={kind}
            onChange={setKind}
          />
        )
      }
    >
      <Text fw={600} mb="sm" className={classes.subject}>
        {subject || "No subject"}
      </Text>
      {showsText ? (
        <pre className={classes.text}>{text}</pre>
      ) : settled.trim() === "" ? (
        <Text c="dimmed">Enter content to see a preview.</Text>
      ) : (
        <HtmlPreview html={settled} />
      )}
    </Panel>
  );
}
