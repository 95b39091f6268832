import type { Provider } from "../../provider.ts";
import type { VendorProviderOptions } from "./vendor-provider.ts";

/** A vendor's adapter, loaded when it is first wanted: a scripted workspace never pays for it. */
export async function openVendor(options: VendorProviderOptions): Promise<Provider> {
  const { vendorProvider } = await import("./vendor-provider.ts");
  return vendorProvider(options);
}
