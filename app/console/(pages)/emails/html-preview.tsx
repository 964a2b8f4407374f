"use client";

import { Button, Text } from "@mantine/core";
import { useMemo, useState } from "react";

import { EmailFrame } from "#app/console/ui/email-frame.tsx";

import classes from "./html-preview.module.css";
import { previewDocument } from "./preview-document.ts";

const NO_IMAGES = {};

/**
 * An email's HTML as a reader sees it: without scripts, links and, until asked for, anything remote.
 *
 * @param images that it brings along, by content id, as data URLs
 */
export function HtmlPreview({
  html,
  images = NO_IMAGES,
}: {
  html: string;
  images?: Record<string, string>;
}) {
  const [withRemote, setWithRemote] = useState(false);
  const preview = useMemo(() => previewDocument(html, images), [html, images]);
  return (
    <>
      {preview.hasRemote && !withRemote && (
        <div className={classes.notice}>
          <Text size="sm">Images from other servers are not loaded.</Text>
          <Button variant="default" size="xs" onClick={() => setWithRemote(true)}>
            Load images
          </Button>
        </div>
      )}
      <EmailFrame html={preview.html} withRemote={withRemote} title="Preview of the email" />
      <Text size="sm" c="dimmed" mt="xs">
        Links do not work in the preview.
      </Text>
    </>
  );
}
