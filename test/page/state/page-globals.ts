import { afterAll, vi } from 'vitest';

/** Globals of a browser that modules of the page use while they are loaded. Call this before they are imported. */
export function stubPageGlobals(): void {
  const events = new EventTarget();
  vi.stubGlobal('location', { pathname: '/', search: '', href: 'http://page/' });
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events));
  vi.stubGlobal('dispatchEvent', events.dispatchEvent.bind(events));
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('sessionStorage', memoryStorage());
  vi.stubGlobal('localStorage', memoryStorage());
  // Files of tests share a process, and a module that another file has loaded listens to the events of that file.
  vi.resetModules();
  afterAll(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
}

/** The keys are own properties, as those of `Storage` are. */
function memoryStorage(): object {
  const methods = {
    getItem(this: Record<string, string>, key: string): string | null {
      return Object.hasOwn(this, key) ? (this[key] ?? null) : null;
    },
    setItem(this: Record<string, string>, key: string, value: string): void {
      this[key] = value;
    },
    removeItem(this: Record<string, string>, key: string): void {
      delete this[key];
    },
  };
  return Object.create(methods) as object;
}
