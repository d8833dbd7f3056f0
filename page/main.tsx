import { render } from 'preact';
import { openSession } from './state/session.ts';
import { App } from './views/app.tsx';
import './style/base.css';
import './style/start.css';
import './style/runs.css';

const root = document.querySelector('#page');
if (root !== null) render(<App />, root);
void openSession();
