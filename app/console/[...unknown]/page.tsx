import { notFound } from "next/navigation";

// The root catch-all returns JSON. Unknown console URLs get an HTML page.
export default function UnknownConsolePage() {
  notFound();
}
