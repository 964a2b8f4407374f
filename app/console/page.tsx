export default function ConsolePage() {
  return <h1>Posthouse</h1>;
}
