import { ColorSchemeScript, mantineHtmlProps } from "@mantine/core";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";

import { Nonce } from "./nonce.tsx";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#5b45bd"/><path d="M5.5 9.2 12 5l6.5 4.2V18h-13zM5.8 9.6l6.2 4.2 6.2-4.2" fill="none" stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/></svg>`;

export const metadata: Metadata = {
  title: { default: "Posthouse", template: "%s · Posthouse" },
  // Inline, to save a request.
  icons: { icon: `data:image/svg+xml,${encodeURIComponent(ICON)}` },
  robots: { index: false, follow: false },
};

export const viewport: Viewport = { width: "device-width", initialScale: 1 };

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Reading headers makes the page dynamic: a prerendered page would have no nonce.
  const request = await headers();
  const nonce = request.get("x-nonce") ?? "";
  return (
    <html lang={request.get("x-language") ?? "en"} {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript defaultColorScheme="auto" nonce={nonce} />
      </head>
      <body>
        <Nonce value={nonce}>{children}</Nonce>
      </body>
    </html>
  );
}
