CREATE TABLE document_topics (
    dataset_id VARCHAR(24) NOT NULL,
    external_id VARCHAR(512) NOT NULL,
    position INTEGER NOT NULL,
    code VARCHAR(64) NOT NULL,
    label VARCHAR(512) NOT NULL,
    opinion VARCHAR(8) NOT NULL,
    PRIMARY KEY (dataset_id, external_id, position)
);

CREATE TABLE documents (
    dataset_id VARCHAR(24) NOT NULL,
    external_id VARCHAR(512) NOT NULL,
    id VARCHAR(24) NOT NULL,
    feed VARCHAR(48) NOT NULL,
    lang VARCHAR(35) NOT NULL,
    type VARCHAR(64) NOT NULL,
    state VARCHAR(16) NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL,
    classifiers TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    last_opinion_enrichment TIMESTAMP WITH TIME ZONE,
    analysis_version VARCHAR(64),
    _import_id VARCHAR(24) NOT NULL,
    _source_file TEXT,
    _source_line BIGINT,
    PRIMARY KEY (dataset_id, external_id)
);

CREATE TABLE enrichments (
    dataset_id VARCHAR(24) NOT NULL,
    external_id VARCHAR(512) NOT NULL,
    position INTEGER NOT NULL,
    term VARCHAR(512) NOT NULL,
    label VARCHAR(512) NOT NULL,
    opinion VARCHAR(8) NOT NULL,
    offset_begin INTEGER NOT NULL,
    offset_end INTEGER NOT NULL,
    surface TEXT NOT NULL,
    PRIMARY KEY (dataset_id, external_id, position)
);

CREATE INDEX enrichments_by_term ON enrichments (dataset_id, term, opinion);

CREATE TABLE erasures (
    dataset_id VARCHAR(24) NOT NULL,
    external_id VARCHAR(512) NOT NULL,
    erased_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (dataset_id, external_id)
);

CREATE TABLE import_ledger (
    idempotency_key VARCHAR(64) NOT NULL,
    load_id VARCHAR(24) NOT NULL,
    feed VARCHAR(48) NOT NULL,
    dataset_id VARCHAR(24) NOT NULL,
    partition VARCHAR(64) NOT NULL,
    file_hash VARCHAR(64) NOT NULL,
    source_file TEXT NOT NULL,
    batch INTEGER NOT NULL,
    document_count INTEGER NOT NULL,
    manifest BYTEA NOT NULL,
    import_id VARCHAR(24),
    state VARCHAR(16) NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    posted_at TIMESTAMP WITH TIME ZONE,
    deadline TIMESTAMP WITH TIME ZONE,
    event_at TIMESTAMP WITH TIME ZONE,
    collected_at TIMESTAMP WITH TIME ZONE,
    listed INTEGER,
    failed INTEGER,
    superseded INTEGER,
    erased INTEGER,
    PRIMARY KEY (idempotency_key)
);

CREATE INDEX import_ledger_by_import ON import_ledger (import_id);

CREATE INDEX import_ledger_by_load ON import_ledger (load_id);

CREATE TABLE loads (
    id VARCHAR(24) NOT NULL,
    feed VARCHAR(48) NOT NULL,
    dataset_id VARCHAR(24) NOT NULL,
    source_file TEXT NOT NULL,
    file_hash VARCHAR(64) NOT NULL,
    partition VARCHAR(64) NOT NULL,
    generation INTEGER NOT NULL,
    row_count BIGINT NOT NULL,
    accepted BIGINT NOT NULL,
    rejected BIGINT NOT NULL,
    quarantine TEXT,
    batches INTEGER NOT NULL,
    started_at TIMESTAMP WITH TIME ZONE NOT NULL,
    sent_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (id)
);

CREATE TABLE migrations (
    version INTEGER NOT NULL,
    applied_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (version)
);

CREATE TABLE refused_documents (
    dataset_id VARCHAR(24) NOT NULL,
    import_id VARCHAR(24) NOT NULL,
    position INTEGER NOT NULL,
    external_id VARCHAR(512),
    code VARCHAR(64) NOT NULL,
    description TEXT NOT NULL,
    _source_file TEXT,
    _source_line BIGINT,
    PRIMARY KEY (import_id, position)
);

CREATE TABLE report_values (
    report_id VARCHAR(32) NOT NULL,
    question VARCHAR(64) NOT NULL,
    position INTEGER NOT NULL,
    period_from TIMESTAMP WITH TIME ZONE,
    period_to TIMESTAMP WITH TIME ZONE,
    dimension_1 TEXT,
    dimension_2 TEXT,
    dimension_3 TEXT,
    dimension_4 TEXT,
    polarity VARCHAR(8),
    value DOUBLE,
    volume BIGINT NOT NULL,
    PRIMARY KEY (report_id, question, position)
);

CREATE TABLE reports (
    id VARCHAR(32) NOT NULL,
    report VARCHAR(64) NOT NULL,
    title TEXT NOT NULL,
    dataset_id VARCHAR(24) NOT NULL,
    as_of TIMESTAMP WITH TIME ZONE NOT NULL,
    period_from TIMESTAMP WITH TIME ZONE,
    period_to TIMESTAMP WITH TIME ZONE,
    page TEXT NOT NULL,
    made_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (id)
);

INSERT INTO documents VALUES ('d1','a','000000000000000000000001','visits','en','PRODUCT_REVIEW','ANALYZED','Nice staff','{"nps":9}','{}','2026-03-01T12:00:00.000Z','2026-03-01T12:00:00.000Z','2026-03-01T12:00:00.000Z','1','i1','visits.csv',2);

INSERT INTO enrichments VALUES ('d1','a',0,'staff__NOUN__1','staff','POSITIVE',5,10,'staff');

INSERT INTO reports VALUES ('r1','visits','Visits','d1','2026-03-01T12:00:00.000Z','2026-03-01T12:00:00.000Z','2026-03-01T12:00:00.000Z','reports/visits/index.html','2026-03-01T12:00:00.000Z');

INSERT INTO report_values VALUES ('r1','score',0,'2026-03-01T12:00:00.000Z','2026-03-01T12:00:00.000Z',NULL,NULL,NULL,NULL,NULL,7.5,12);

CREATE VIEW feed_visits AS SELECT external_id, content FROM documents WHERE dataset_id = 'd1';

INSERT INTO migrations VALUES (1,'2026-03-01T12:00:00.000Z');
