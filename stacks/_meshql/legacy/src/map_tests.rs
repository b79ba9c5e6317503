//! Each table, each code, each default, each date.

use super::*;
use serde_json::json;

/// One known row of each table that is a parent.
fn keys() -> Keys {
    let mut keys = Keys::default();
    let mut know = |table: Table, key: &str, id: &str, coop: Option<&str>| {
        let known = Known {
            id: id.into(),
            coop: coop.map(String::from),
        };
        keys.insert(table, vec![key.into()], known);
    };
    know(Table::Farm, "1000", "id-farm", None);
    know(Table::Farm, "2000", "id-farm-2", None);
    know(Table::Stall, "ST01", "id-coop", None);
    know(
        Table::Equi,
        "000000000000000001",
        "id-hen",
        Some("id-coop-of-hen"),
    );
    know(Table::Behaelt, "B1", "id-container", None);
    know(Table::Behaelt, "B2", "id-container-2", None);
    know(Table::Kunde, "0000000007", "id-consumer", None);
    keys
}

fn row(value: Value) -> Row {
    let Value::Object(row) = value else {
        panic!("a row is an object")
    };
    row
}

/// A whole row of each table, as the connector sends it.
fn whole_row(table: Table) -> Row {
    let columns = match table {
        Table::Farm => {
            json!({"werks": "1000", "bukrs": "0001", "farm_nm": "Hof", "farm_typ_cd": "M",
            "zone_cd": "north", "eigr": "Al"})
        }
        Table::Stall => {
            json!({"stall_nr": "ST01", "stall_nm": "Stall", "werks": "1000", "kapzt": 40,
            "stall_typ_cd": "F"})
        }
        Table::Equi => {
            json!({"equnr": "000000000000000001", "henne_nm": "Berta", "stall_nr": "ST01",
            "rasse_cd": "SUS", "geb_dt": "20240229", "stat_cd": "R"})
        }
        Table::Behaelt => json!({"behaelt_nr": "B1", "behaelt_nm": "Lager", "behaelt_typ_cd": "S",
            "kapzt": 500, "zone_cd": "south", "lgort": "0001"}),
        Table::Kunde => json!({"kunnr": "0000000007", "kund_nm": "Cafe", "vbr_typ_cd": "R",
            "zone_cd": "east", "woch_bedarf": 120}),
        Table::Lege => {
            json!({"aufnr": "000000000042", "equnr": "000000000000000001", "werks": "1000",
            "ei_menge": 3, "erfas_dt": "20260131", "erfas_zt": "063059", "qual_cd": "D"})
        }
        Table::Mseg101 => json!({"mblnr": "4900000001", "mjahr": "2026", "behaelt_nr": "B1",
            "quell_typ_cd": "T", "ei_menge": 30, "budat": "20260131", "cputm": "235959"}),
        Table::Mseg201 => json!({"mblnr": "4900000002", "mjahr": "2026", "behaelt_nr": "B1",
            "grund_cd": "B", "ei_menge": 4, "budat": "20260131", "cputm": "120000"}),
        Table::Mseg301 => json!({"mblnr": "4900000003", "mjahr": "2026", "quell_beh_nr": "B1",
            "ziel_beh_nr": "B2", "trans_cd": "K", "ei_menge": 5, "budat": "20260131", "cputm": "120000"}),
        Table::Mseg261 => json!({"mblnr": "4900000004", "mjahr": "2026", "kunnr": "0000000007",
            "behaelt_nr": "B1", "zweck_cd": "W", "ei_menge": 6, "budat": "20260131", "cputm": "120000"}),
    };
    let mut whole = row(columns);
    for (column, value) in [("mandt", "100"), ("ernam", "SEED"), ("erdat", "20260101")] {
        whole.insert(column.into(), value.into());
    }
    whole
}

fn mapped(table: Table, changes: Value) -> Result<Value, Refusal> {
    let mut changed = whole_row(table);
    changed.extend(row(changes));
    payload(table, &changed, &keys()).map(Value::Object)
}

fn expect(table: Table, expected: Value) {
    assert_eq!(mapped(table, json!({})), Ok(expected));
}

#[test]
fn farm() {
    expect(
        Table::Farm,
        json!({"legacy_werks": "1000", "name": "Hof", "farm_type": "megafarm", "zone": "north", "owner": "Al"}),
    );
    let ownerless = mapped(Table::Farm, json!({"eigr": null})).expect("mapped");
    assert_eq!(ownerless.get("owner"), None);
}

#[test]
fn coop() {
    expect(
        Table::Stall,
        json!({"legacy_stall_nr": "ST01", "name": "Stall", "farm_id": "id-farm", "capacity": 40,
            "coop_type": "free_range"}),
    );
}

#[test]
fn hen() {
    expect(
        Table::Equi,
        json!({"legacy_equnr": "000000000000000001", "name": "Berta", "coop_id": "id-coop",
            "breed": "sussex", "dob": "2024-02-29", "status": "retired"}),
    );
}

#[test]
fn container() {
    expect(
        Table::Behaelt,
        json!({"legacy_behaelt_nr": "B1", "name": "Lager", "container_type": "market_shelf",
            "capacity": 500, "zone": "south"}),
    );
}

#[test]
fn consumer() {
    expect(
        Table::Kunde,
        json!({"legacy_kunnr": "0000000007", "name": "Cafe", "consumer_type": "restaurant",
            "zone": "east", "weekly_demand": 120}),
    );
    let modest = mapped(Table::Kunde, json!({"woch_bedarf": null})).expect("mapped");
    assert_eq!(modest.get("weekly_demand"), None);
}

#[test]
fn lay_report_takes_the_coop_from_the_hen() {
    expect(
        Table::Lege,
        json!({"legacy_aufnr": "000000000042", "hen_id": "id-hen", "coop_id": "id-coop-of-hen",
            "farm_id": "id-farm", "eggs": 3, "timestamp": "2026-01-31T06:30:59Z", "quality": "double_yolk"}),
    );
}

#[test]
fn storage_deposit_comes_from_the_first_known_farm() {
    expect(
        Table::Mseg101,
        json!({"legacy_mblnr": "4900000001", "legacy_mjahr": "2026", "container_id": "id-container",
            "source_type": "transfer", "source_id": "id-farm", "eggs": 30,
            "timestamp": "2026-01-31T23:59:59Z"}),
    );
    let nowhere = payload(Table::Mseg101, &whole_row(Table::Mseg101), &{
        let mut keys = keys();
        keys.remove(Table::Farm, vec!["1000".into()], None);
        keys.remove(Table::Farm, vec!["2000".into()], None);
        keys
    });
    let any = Refusal::Orphan {
        table: Table::Farm,
        key: Key::new(),
    };
    assert_eq!(nowhere, Err(any));
}

#[test]
fn storage_withdrawal() {
    expect(
        Table::Mseg201,
        json!({"legacy_mblnr": "4900000002", "legacy_mjahr": "2026", "container_id": "id-container",
            "reason": "breakage", "eggs": 4, "timestamp": "2026-01-31T12:00:00Z"}),
    );
}

#[test]
fn container_transfer() {
    expect(
        Table::Mseg301,
        json!({"legacy_mblnr": "4900000003", "legacy_mjahr": "2026",
            "source_container_id": "id-container", "dest_container_id": "id-container-2",
            "transport_method": "cart", "eggs": 5, "timestamp": "2026-01-31T12:00:00Z"}),
    );
}

#[test]
fn consumption_report() {
    expect(
        Table::Mseg261,
        json!({"legacy_mblnr": "4900000004", "legacy_mjahr": "2026", "consumer_id": "id-consumer",
            "container_id": "id-container", "purpose": "resale", "eggs": 6,
            "timestamp": "2026-01-31T12:00:00Z"}),
    );
}

#[test]
fn each_code_and_each_default() {
    type Case = (
        Table,
        &'static str,
        &'static str,
        &'static [(&'static str, &'static str)],
        &'static str,
    );
    let cases: [Case; 11] = [
        (
            Table::Farm,
            "farm_typ_cd",
            "farm_type",
            &[("M", "megafarm"), ("L", "local_farm"), ("H", "homestead")],
            "local_farm",
        ),
        (
            Table::Stall,
            "stall_typ_cd",
            "coop_type",
            &[("F", "free_range"), ("C", "cage"), ("B", "barn")],
            "barn",
        ),
        (
            Table::Equi,
            "rasse_cd",
            "breed",
            &[
                ("RIR", "rhode_island_red"),
                ("LEG", "leghorn"),
                ("PLY", "plymouth_rock"),
                ("SUS", "sussex"),
                ("ORG", "orpington"),
            ],
            "leghorn",
        ),
        (
            Table::Equi,
            "stat_cd",
            "status",
            &[("A", "active"), ("R", "retired"), ("D", "deceased")],
            "active",
        ),
        (
            Table::Behaelt,
            "behaelt_typ_cd",
            "container_type",
            &[("W", "warehouse"), ("S", "market_shelf"), ("F", "fridge")],
            "warehouse",
        ),
        (
            Table::Kunde,
            "vbr_typ_cd",
            "consumer_type",
            &[("H", "household"), ("R", "restaurant"), ("B", "bakery")],
            "household",
        ),
        (
            Table::Lege,
            "qual_cd",
            "quality",
            &[
                ("A", "grade_a"),
                ("B", "grade_b"),
                ("C", "cracked"),
                ("D", "double_yolk"),
            ],
            "grade_a",
        ),
        (
            Table::Mseg101,
            "quell_typ_cd",
            "source_type",
            &[("F", "farm"), ("T", "transfer")],
            "farm",
        ),
        (
            Table::Mseg201,
            "grund_cd",
            "reason",
            &[("S", "spoilage"), ("B", "breakage"), ("Q", "quality_check")],
            "spoilage",
        ),
        (
            Table::Mseg301,
            "trans_cd",
            "transport_method",
            &[("T", "truck"), ("V", "van"), ("K", "cart")],
            "truck",
        ),
        (
            Table::Mseg261,
            "zweck_cd",
            "purpose",
            &[
                ("K", "cooking"),
                ("B", "baking"),
                ("W", "resale"),
                ("R", "raw"),
            ],
            "cooking",
        ),
    ];
    for (table, column, field, codes, otherwise) in cases {
        for (code, clean) in codes {
            let payload = mapped(table, json!({column: code})).expect("mapped");
            assert_eq!(payload[field], *clean, "{column} {code}");
        }
        for unknown in [json!("?"), json!(""), Value::Null] {
            let payload = mapped(table, json!({column: unknown})).expect("mapped");
            assert_eq!(payload[field], otherwise, "{column} {unknown}");
        }
    }
}

#[test]
fn midnight_where_the_time_is_missing() {
    for time in [Value::Null, json!(""), json!("      "), json!("000000")] {
        let payload = mapped(Table::Lege, json!({"erfas_zt": time})).expect("mapped");
        assert_eq!(payload["timestamp"], "2026-01-31T00:00:00Z");
    }
}

#[test]
fn a_missing_day_of_birth_is_left_out() {
    for day in [Value::Null, json!(""), json!("00000000")] {
        let payload = mapped(Table::Equi, json!({"geb_dt": day})).expect("mapped");
        assert_eq!(payload.get("dob"), None);
    }
}

#[test]
fn broken_rows_say_what_is_wrong() {
    let broken = [
        (
            Table::Equi,
            json!({"geb_dt": "20230229"}),
            "GEB_DT is \"20230229\", must be a date as YYYYMMDD",
        ),
        (
            Table::Equi,
            json!({"geb_dt": "2023-1-1"}),
            "GEB_DT is \"2023-1-1\", must be a date as YYYYMMDD",
        ),
        (
            Table::Lege,
            json!({"erfas_dt": null}),
            "ERFAS_DT is missing",
        ),
        (
            Table::Lege,
            json!({"erfas_zt": "256000"}),
            "ERFAS_ZT is \"256000\", must be a time as HHMMSS",
        ),
        (
            Table::Lege,
            json!({"erfas_zt": "+1:000"}),
            "ERFAS_ZT is \"+1:000\", must be a time as HHMMSS",
        ),
        (
            Table::Lege,
            json!({"ei_menge": null}),
            "EI_MENGE is missing",
        ),
        (
            Table::Lege,
            json!({"ei_menge": "3"}),
            "EI_MENGE is \"3\", must be a whole number",
        ),
        (Table::Lege, json!({"equnr": null}), "EQUNR is missing"),
        (Table::Farm, json!({"farm_nm": "  "}), "FARM_NM is missing"),
        (
            Table::Farm,
            json!({"farm_nm": 7}),
            "FARM_NM is 7, must be text",
        ),
        (Table::Mseg101, json!({"mjahr": null}), "MJAHR is missing"),
    ];
    for (table, changes, reason) in broken {
        assert_eq!(mapped(table, changes), Err(Refusal::Broken(reason.into())));
    }
}

#[test]
fn orphans_say_whom_they_wait_for() {
    let orphans = [
        (Table::Stall, json!({"werks": "9999"}), Table::Farm, "9999"),
        (
            Table::Equi,
            json!({"stall_nr": "ST99"}),
            Table::Stall,
            "ST99",
        ),
        (Table::Lege, json!({"equnr": "9"}), Table::Equi, "9"),
        (Table::Lege, json!({"werks": "9999"}), Table::Farm, "9999"),
        (
            Table::Mseg101,
            json!({"behaelt_nr": "B9"}),
            Table::Behaelt,
            "B9",
        ),
        (
            Table::Mseg201,
            json!({"behaelt_nr": "B9"}),
            Table::Behaelt,
            "B9",
        ),
        (
            Table::Mseg301,
            json!({"quell_beh_nr": "B9"}),
            Table::Behaelt,
            "B9",
        ),
        (
            Table::Mseg301,
            json!({"ziel_beh_nr": "B9"}),
            Table::Behaelt,
            "B9",
        ),
        (Table::Mseg261, json!({"kunnr": "9"}), Table::Kunde, "9"),
        (
            Table::Mseg261,
            json!({"behaelt_nr": "B9"}),
            Table::Behaelt,
            "B9",
        ),
    ];
    for (table, changes, parent, number) in orphans {
        let expected = Refusal::Orphan {
            table: parent,
            key: vec![number.into()],
        };
        assert_eq!(mapped(table, changes), Err(expected));
    }
}

#[test]
fn a_document_is_known_by_its_number_and_year() {
    let document = whole_row(Table::Mseg261);
    assert_eq!(
        key(Table::Mseg261, &document),
        Ok(vec!["4900000004".into(), "2026".into()])
    );
    assert_eq!(
        key(Table::Farm, &whole_row(Table::Farm)),
        Ok(vec!["1000".into()])
    );
    assert_eq!(client(&document), "100");
}
